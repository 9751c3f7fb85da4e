//! A server under test: socketioxide on axum, written as its documentation is. It keeps the contract of
//! servers/README.md.

mod command;
mod connections;
mod events;
mod http;
mod stats;

use std::{net::SocketAddr, process::exit};

use axum::middleware;
use connections::{CountingListener, Ticket};
use socketioxide::{SocketIo, handler::ConnectHandler};
use tokio::{net::TcpListener, runtime::Runtime};

fn main() {
    let asked = command::read();
    // All threads of the machine, as `#[tokio::main]` has it.
    let runtime = Runtime::new().unwrap_or_else(|error| command::fail(1, &error.to_string()));
    runtime.block_on(serve(&asked.host, asked.port));
}

async fn serve(host: &str, port: u16) {
    let listener = match TcpListener::bind((host, port)).await {
        Ok(listener) => listener,
        Err(error) => command::fail(1, &command::why_deaf(host, port, &error)),
    };
    let listens_at = listener.local_addr().map_or(port, |address: SocketAddr| address.port());
    let (layer, io) = SocketIo::new_layer();
    io.ns("/", events::connected.with(events::serve));
    let app = http::routes(io).layer(layer).layer(middleware::from_fn(connections::mark_web_sockets));
    let told = command::told_to_end();
    command::announce(host, listens_at);
    let service = app.into_make_service_with_connect_info::<Ticket>();
    tokio::select! {
        ended = async { axum::serve(CountingListener(listener), service).await } => {
            let why = ended.err().map_or("the server ended".to_string(), |error| error.to_string());
            command::fail(1, &why);
        }
        // The kernel closes every connection of a process that ends.
        () = told => exit(0),
    }
}
