//! Counts the WebSocket connections that are open now, which the library does not tell.

use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
    task::{Context, Poll},
};

use axum::{
    extract::{ConnectInfo, Request, connect_info::Connected},
    http::header::UPGRADE,
    middleware::Next,
    response::Response,
    serve::{IncomingStream, Listener},
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
};

static OPEN: AtomicUsize = AtomicUsize::new(0);

pub fn count() -> usize {
    OPEN.load(Relaxed)
}

/// Whether a connection became a WebSocket.
#[derive(Clone, Default)]
pub struct Ticket(Arc<AtomicBool>);

impl Connected<IncomingStream<'_, CountingListener>> for Ticket {
    fn connect_info(stream: IncomingStream<'_, CountingListener>) -> Self {
        stream.io().ticket.clone()
    }
}

/// Marks the connection of each request that was answered with an upgrade.
pub async fn mark_web_sockets(
    ConnectInfo(Ticket(mark)): ConnectInfo<Ticket>,
    request: Request,
    next: Next,
) -> Response {
    let asks = request.headers().contains_key(UPGRADE);
    let response = next.run(request).await;
    if asks && response.status() == 101 && !mark.swap(true, Relaxed) {
        OPEN.fetch_add(1, Relaxed);
    }
    response
}

/// A TCP listener whose connections know what became of them.
pub struct CountingListener(pub TcpListener);

impl Listener for CountingListener {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        let (stream, address) = Listener::accept(&mut self.0).await;
        (Connection { stream, ticket: Ticket::default() }, address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

pub struct Connection {
    stream: TcpStream,
    ticket: Ticket,
}

impl Drop for Connection {
    fn drop(&mut self) {
        if self.ticket.0.load(Relaxed) {
            OPEN.fetch_sub(1, Relaxed);
        }
    }
}

impl Connection {
    fn inner(self: Pin<&mut Self>) -> Pin<&mut TcpStream> {
        Pin::new(&mut self.get_mut().stream)
    }
}

impl AsyncRead for Connection {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.inner().poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.inner().poll_write(context, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.inner().poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.inner().poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.inner().poll_shutdown(context)
    }
}
