package main

// Hub knows who is subscribed to what. One goroutine owns the maps, as in the chat example.
type Hub struct {
	subscribers map[string]map[*Client]bool
	subscribe   chan subscription
	unsubscribe chan subscription
	publish     chan publication
	leave       chan *Client
}

type subscription struct {
	client *Client
	stream string
	// Sent to the client before any delivery of the stream.
	answer []byte
}

type publication struct {
	stream  string
	message []byte
	// Gets nothing of it; may be nil.
	except *Client
	// Gets the number of receivers once all of them have the message in their buffer.
	done chan int
}

func newHub() *Hub {
	hub := &Hub{
		subscribers: make(map[string]map[*Client]bool),
		subscribe:   make(chan subscription),
		unsubscribe: make(chan subscription),
		publish:     make(chan publication),
		leave:       make(chan *Client),
	}
	go hub.run()
	return hub
}

func (h *Hub) run() {
	for {
		select {
		case asked := <-h.subscribe:
			h.add(asked)
		case asked := <-h.unsubscribe:
			delete(asked.client.streams, asked.stream)
			h.remove(asked.client, asked.stream)
		case asked := <-h.publish:
			asked.done <- h.send(asked)
		case client := <-h.leave:
			h.drop(client)
		}
	}
}

// Publish hands a message to every subscriber of a stream but one, and gives how many those were.
func (h *Hub) Publish(stream string, message []byte, except *Client) int {
	done := make(chan int, 1)
	h.publish <- publication{stream, message, except, done}
	return <-done
}

func (h *Hub) add(asked subscription) {
	client := asked.client
	if client.isDropped {
		return
	}
	if h.subscribers[asked.stream] == nil {
		h.subscribers[asked.stream] = make(map[*Client]bool)
	}
	h.subscribers[asked.stream][client] = true
	client.streams[asked.stream] = true
	if asked.answer != nil {
		h.give(client, asked.answer)
	}
}

func (h *Hub) remove(client *Client, stream string) {
	delete(h.subscribers[stream], client)
	if len(h.subscribers[stream]) == 0 {
		delete(h.subscribers, stream)
	}
}

func (h *Hub) send(asked publication) int {
	sent := 0
	for client := range h.subscribers[asked.stream] {
		if client != asked.except && h.give(client, asked.message) {
			sent++
		}
	}
	return sent
}

// Cuts a client whose buffer is full, as the chat example does.
func (h *Hub) give(client *Client, message []byte) bool {
	select {
	case client.send <- message:
		return true
	default:
		h.drop(client)
		return false
	}
}

func (h *Hub) drop(client *Client) {
	if client.isDropped {
		return
	}
	client.isDropped = true
	for stream := range client.streams {
		h.remove(client, stream)
	}
	close(client.dropped)
}
