// server stdio|stateful|stateless|modern plain|list|text [PORT]: a server of the official Go SDK.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type echoInput struct {
	Text string `json:"text"`
}

type addInput struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

type sum struct {
	Sum float64 `json:"sum"`
}

type findInput struct {
	Path      string `json:"path" jsonschema:"Where to look"`
	Limit     int    `json:"limit"`
	Recursive bool   `json:"recursive,omitempty"`
}

func words(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

func addManyTools(server *mcp.Server) error {
	schema, err := jsonschema.For[findInput](nil)
	if err != nil {
		return err
	}
	least, most := 1.0, 100.0
	schema.Properties["limit"].Minimum, schema.Properties["limit"].Maximum = &least, &most
	for i := range 80 {
		mcp.AddTool(server, &mcp.Tool{Name: fmt.Sprintf("tool_%d", i), Title: fmt.Sprintf("Tool number %d", i),
			Description: "Does one of the many things that a tool can do, and says so in a sentence of ordinary length.",
			InputSchema: schema},
			func(_ context.Context, _ *mcp.CallToolRequest, in findInput) (*mcp.CallToolResult, any, error) {
				return words(in.Path), nil, nil
			})
	}
	return nil
}

func addTools(server *mcp.Server, tools string) error {
	switch tools {
	case "list":
		return addManyTools(server)
	case "text":
		sentence := "The quick brown fox \"jumps\" over the lazy dog, and nobody minds it at all.\n"
		megabyte := strings.Repeat(sentence, 1_000_000/len(sentence)+1)[:1_000_000]
		mcp.AddTool(server, &mcp.Tool{Name: "text", Description: "Gives a megabyte of text"},
			func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
				return words(megabyte), nil, nil
			})
	default:
		mcp.AddTool(server, &mcp.Tool{Name: "echo", Description: "Says the text back"},
			func(_ context.Context, _ *mcp.CallToolRequest, in echoInput) (*mcp.CallToolResult, any, error) {
				return words(in.Text), nil, nil
			})
		mcp.AddTool(server, &mcp.Tool{Name: "add", Description: "Adds two numbers"},
			func(_ context.Context, _ *mcp.CallToolRequest, in addInput) (*mcp.CallToolResult, sum, error) {
				return nil, sum{in.A + in.B}, nil
			})
	}
	return nil
}

func serve(mode, tools string, port []string) error {
	server := mcp.NewServer(&mcp.Implementation{Name: "go-sdk", Version: "1"}, &mcp.ServerOptions{PageSize: 1000})
	if err := addTools(server, tools); err != nil {
		return err
	}
	if mode == "stdio" {
		return server.Run(context.Background(), &mcp.StdioTransport{})
	}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{JSONResponse: true, Stateless: mode != "stateful"})
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	return http.ListenAndServe("127.0.0.1:"+port[0], mux)
}

func main() {
	if err := serve(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		log.Fatal(err)
	}
}
