// A server for the client library centrifuge: everybody may subscribe and publish to every channel.
package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"runtime/debug"

	"github.com/centrifugal/centrifuge"
)

const library = "github.com/centrifugal/centrifuge"

func main() {
	if len(os.Args) > 1 && os.Args[1] == "--version" {
		fmt.Println(libraryVersion())
		return
	}
	node, err := centrifuge.New(centrifuge.Config{})
	must(err)
	node.OnConnecting(func(context.Context, centrifuge.ConnectEvent) (centrifuge.ConnectReply, error) {
		return centrifuge.ConnectReply{Credentials: &centrifuge.Credentials{UserID: "u"}}, nil
	})
	node.OnConnect(func(client *centrifuge.Client) {
		client.OnSubscribe(func(_ centrifuge.SubscribeEvent, answer centrifuge.SubscribeCallback) {
			answer(centrifuge.SubscribeReply{}, nil)
		})
		client.OnPublish(func(_ centrifuge.PublishEvent, answer centrifuge.PublishCallback) {
			answer(centrifuge.PublishReply{}, nil)
		})
	})
	must(node.Run())
	http.Handle("/connection/websocket", centrifuge.NewWebsocketHandler(node, centrifuge.WebsocketConfig{}))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	fmt.Printf("{\"listening\":{\"port\":%d}}\n", listener.Addr().(*net.TCPAddr).Port)
	must(http.Serve(listener, nil))
}

func libraryVersion() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == library {
			return module.Version
		}
	}
	return "unknown"
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
