package main

import (
	"net/http"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

// Times and the buffer of the chat example.
const (
	writeWait    = 10 * time.Second
	pongWait     = 60 * time.Second
	pingPeriod   = pongWait * 9 / 10
	sendMessages = 256
)

// The number of connections that are open now.
var connections int64

// Client is one connection. A goroutine reads it and another one writes it.
type Client struct {
	hub  *Hub
	conn *websocket.Conn
	// What the writer sends, in this order.
	send chan []byte
	// Closed by the hub when the client gets nothing more.
	dropped chan struct{}
	// Both belong to the hub.
	streams   map[string]bool
	isDropped bool
}

var upgrader = websocket.Upgrader{}

// Upgrades a request and serves the connection: `receive` gets each message, its text nil if it is binary.
func serve(hub *Hub, w http.ResponseWriter, r *http.Request, opened func(*Client), receive func(*Client, []byte)) {
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	client := &Client{
		hub:     hub,
		conn:    conn,
		send:    make(chan []byte, sendMessages),
		dropped: make(chan struct{}),
		streams: make(map[string]bool),
	}
	atomic.AddInt64(&connections, 1)
	opened(client)
	go client.write()
	go client.read(receive)
}

func (c *Client) read(receive func(*Client, []byte)) {
	defer func() {
		c.hub.leave <- c
		c.conn.Close()
		atomic.AddInt64(&connections, -1)
	}()
	c.conn.SetReadDeadline(time.Now().Add(pongWait))
	c.conn.SetPongHandler(func(string) error {
		return c.conn.SetReadDeadline(time.Now().Add(pongWait))
	})
	for {
		kind, message, err := c.conn.ReadMessage()
		if err != nil {
			return
		}
		if kind != websocket.TextMessage {
			message = nil
		}
		receive(c, message)
	}
}

func (c *Client) write() {
	pings := time.NewTicker(pingPeriod)
	defer func() {
		pings.Stop()
		c.conn.Close()
	}()
	for {
		kind, message := websocket.PingMessage, []byte(nil)
		select {
		case message = <-c.send:
			kind = websocket.TextMessage
		case <-c.dropped:
			kind = websocket.CloseMessage
		case <-pings.C:
		}
		c.conn.SetWriteDeadline(time.Now().Add(writeWait))
		if err := c.conn.WriteMessage(kind, message); err != nil || kind == websocket.CloseMessage {
			return
		}
	}
}

// Answer sends to this client alone. The reader waits while the buffer is full.
func (c *Client) Answer(message []byte) {
	select {
	case c.send <- message:
	case <-c.dropped:
	}
}
