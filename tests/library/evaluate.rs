//! Runs the self-test of `lab/evaluate` if Python is installed.

use std::process::Command;

#[test]
fn the_script_measures_what_it_is_given() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/lab/evaluate");
    let Ok(run) = Command::new("python3")
        .args([script, "--self-test"])
        .output()
    else {
        return;
    };
    let reported = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{reported}");
}
