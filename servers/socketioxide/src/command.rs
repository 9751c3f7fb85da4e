//! The command line, and when the process ends.

use std::{env, future::Future, io, process};

use tokio::{
    io::AsyncReadExt,
    signal::unix::{SignalKind, signal},
};

pub struct Asked {
    pub host: String,
    pub port: u16,
}

/// Reads `--host`, `--port` and `--version`, as `--name value` or `--name=value`.
pub fn read() -> Asked {
    let mut asked = Asked { host: "127.0.0.1".to_string(), port: 0 };
    let mut words = env::args().skip(1);
    while let Some(word) = words.next() {
        let (name, given) = match word.split_once('=') {
            Some((name, value)) => (name.to_string(), Some(value.to_string())),
            None => (word, None),
        };
        if name == "--version" {
            println!("{}", env!("SOCKETIOXIDE_VERSION"));
            process::exit(0);
        }
        if name != "--host" && name != "--port" {
            fail(2, &format!("{name} is not known here"));
        }
        let value = given.or_else(|| words.next()).unwrap_or_else(|| fail(2, &format!("{name} needs a value")));
        if name == "--host" {
            asked.host = value;
        } else {
            asked.port = value.parse().unwrap_or_else(|_| fail(2, &format!("--port must be 0 to 65535, not {value}")));
        }
    }
    asked
}

/// The one line on stdout that the contract asks for.
pub fn announce(host: &str, port: u16) {
    println!(r#"{{"listening":{{"host":"{host}","port":{port},"pid":{}}}}}"#, process::id());
}

/// Ends the process with one line on stderr.
pub fn fail(code: i32, message: &str) -> ! {
    eprintln!("socketioxide: {}", message.replace('\n', " "));
    process::exit(code)
}

pub fn why_deaf(host: &str, port: u16, error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::AddrInUse {
        return format!("port {port} of {host} is in use");
    }
    format!("can't listen on port {port} of {host}: {error}")
}

/// Resolves on SIGTERM, on SIGINT, and with the end of stdin if the environment asks for that.
pub fn told_to_end() -> impl Future<Output = ()> {
    let mut terminate = signal(SignalKind::terminate()).unwrap_or_else(|error| fail(1, &error.to_string()));
    let mut interrupt = signal(SignalKind::interrupt()).unwrap_or_else(|error| fail(1, &error.to_string()));
    let ends_with_stdin = env::var("RINGSIDE_EXIT_WITH_STDIN").is_ok_and(|value| value == "1");
    async move {
        tokio::select! {
            _ = terminate.recv() => (),
            _ = interrupt.recv() => (),
            () = end_of_stdin(), if ends_with_stdin => (),
        }
    }
}

async fn end_of_stdin() {
    let (mut stdin, mut buffer) = (tokio::io::stdin(), [0; 1024]);
    while stdin.read(&mut buffer).await.is_ok_and(|bytes| bytes > 0) {}
}
