//! Keeps the version of the compiler and of the locked packages for `/_stats`.

use std::{env, fs, process::Command};

fn main() {
    let compiler = env::var("RUSTC").expect("cargo names its compiler");
    let output = Command::new(compiler).arg("--version").output().expect("the compiler runs");
    let said = String::from_utf8(output.stdout).expect("a version is text");
    let rust = said.split_whitespace().nth(1).expect("`rustc 1.95.0 (…)`");
    println!("cargo::rustc-env=RUST_VERSION={rust}");
    let lock = fs::read_to_string("Cargo.lock").expect("the lock file is beside Cargo.toml");
    for (variable, package) in [("SOCKETIOXIDE_VERSION", "socketioxide"), ("AXUM_VERSION", "axum")] {
        println!("cargo::rustc-env={variable}={}", version_of(package, &lock));
    }
    println!("cargo::rerun-if-changed=Cargo.lock");
}

fn version_of<'a>(package: &str, lock: &'a str) -> &'a str {
    let entry = format!("name = \"{package}\"\nversion = \"");
    let (_, after) = lock.split_once(&entry).expect("the package is locked");
    after.split_once('"').expect("a version ends with a quote").0
}
