#![no_main]

#[path = "../check_naive.rs"]
mod check_naive;

libfuzzer_sys::fuzz_target!(|input: &[u8]| check_naive::scan_naive(input));
