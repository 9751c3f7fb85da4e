//! What `/_stats` answers. The threads of tokio share the work, so nothing is told of one event loop.

use std::{fs, mem, process};

use serde_json::{Value, json};

use crate::connections;

pub fn read() -> Value {
    let usage = usage();
    json!({
        "pid": process::id(),
        "rssBytes": resident_bytes(),
        "cpuUserUs": microseconds(usage.ru_utime),
        "cpuSystemUs": microseconds(usage.ru_stime),
        "connections": connections::count(),
        "versions": {
            "rust": env!("RUST_VERSION"),
            "socketioxide": env!("SOCKETIOXIDE_VERSION"),
            "axum": env!("AXUM_VERSION"),
        },
        "settings": {},
    })
}

fn usage() -> libc::rusage {
    // SAFETY: zeros are a valid rusage, and the call writes nothing else.
    unsafe {
        let mut usage = mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    }
}

fn microseconds(time: libc::timeval) -> i64 {
    time.tv_sec * 1_000_000 + time.tv_usec
}

/// The second number of /proc/self/statm counts resident pages.
fn resident_bytes() -> i64 {
    let text = fs::read_to_string("/proc/self/statm").expect("the kernel tells the memory of a process");
    let pages: i64 = text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).expect("statm holds numbers");
    // SAFETY: it reads a constant of the system.
    pages * unsafe { libc::sysconf(libc::_SC_PAGESIZE) }
}
