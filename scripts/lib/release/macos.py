"""What a linker has to know of macOS. Apple's SDK may not be given to others, and zig has of it only what every program needs."""
from project import TARGET

FRAMEWORKS = TARGET / "macos"
#: What the crate iana-time-zone calls, through chrono and parquet.
SYMBOLS = [
    "CFRelease",
    "CFStringGetBytes",
    "CFStringGetCStringPtr",
    "CFStringGetLength",
    "CFTimeZoneCopySystem",
    "CFTimeZoneGetName",
    "CFTimeZoneResetSystem",
]
STUB = """--- !tapi-tbd
tbd-version: 4
targets: [ x86_64-macos, arm64-macos ]
install-name: '/System/Library/Frameworks/CoreFoundation.framework/Versions/A/CoreFoundation'
current-version: 1856.105
compatibility-version: 150
exports:
  - targets: [ x86_64-macos, arm64-macos ]
    symbols: [ {symbols} ]
...
"""


def linking():
    """-> the options of rustc that let it link for macOS; writes the list of symbols of the one framework that is needed"""
    framework = FRAMEWORKS / "CoreFoundation.framework"
    framework.mkdir(parents=True, exist_ok=True)
    (framework / "CoreFoundation.tbd").write_text(STUB.format(symbols=", ".join(f"_{name}" for name in SYMBOLS)))
    return ["-L", f"framework={FRAMEWORKS}"]
