// server stdio|stateful|stateless|modern plain|list|text [PORT]: a server of mcp-go.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
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
	Path      string `json:"path"`
	Limit     int    `json:"limit"`
	Recursive bool   `json:"recursive"`
}

func addManyTools(it *server.MCPServer) {
	for i := range 80 {
		tool := mcp.NewTool(fmt.Sprintf("tool_%d", i),
			mcp.WithDescription("Does one of the many things that a tool can do, and says so in a sentence of ordinary length."),
			mcp.WithString("path", mcp.Required(), mcp.Description("Where to look")),
			mcp.WithInteger("limit", mcp.Required(), mcp.Min(1.0), mcp.Max(100.0)),
			mcp.WithBoolean("recursive", mcp.DefaultBool(false)))
		tool.Title = fmt.Sprintf("Tool number %d", i)
		it.AddTool(tool, mcp.NewTypedToolHandler(
			func(_ context.Context, _ mcp.CallToolRequest, in findInput) (*mcp.CallToolResult, error) {
				return mcp.NewToolResultText(in.Path), nil
			}))
	}
}

func addTools(it *server.MCPServer, tools string) {
	switch tools {
	case "list":
		addManyTools(it)
	case "text":
		sentence := "The quick brown fox \"jumps\" over the lazy dog, and nobody minds it at all.\n"
		megabyte := strings.Repeat(sentence, 1_000_000/len(sentence)+1)[:1_000_000]
		it.AddTool(mcp.NewTool("text", mcp.WithDescription("Gives a megabyte of text")),
			func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return mcp.NewToolResultText(megabyte), nil
			})
	default:
		it.AddTool(mcp.NewTool("echo", mcp.WithDescription("Says the text back"), mcp.WithInputSchema[echoInput]()),
			mcp.NewTypedToolHandler(
				func(_ context.Context, _ mcp.CallToolRequest, in echoInput) (*mcp.CallToolResult, error) {
					return mcp.NewToolResultText(in.Text), nil
				}))
		it.AddTool(mcp.NewTool("add", mcp.WithDescription("Adds two numbers"), mcp.WithInputSchema[addInput](),
			mcp.WithOutputSchema[sum]()),
			mcp.NewStructuredToolHandler(func(_ context.Context, _ mcp.CallToolRequest, in addInput) (sum, error) {
				return sum{in.A + in.B}, nil
			}))
	}
}

func serve(mode, tools string, port []string) error {
	it := server.NewMCPServer("mcp-go", "1", server.WithToolCapabilities(false))
	addTools(it, tools)
	if mode == "stdio" {
		return server.ServeStdio(it)
	}
	handler := server.NewStreamableHTTPServer(it, server.WithStateful(mode == "stateful"),
		server.WithStateLess(mode == "stateless"), server.WithDisableStreaming(true))
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	return http.ListenAndServe("127.0.0.1:"+port[0], mux)
}

func main() {
	if err := serve(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		log.Fatal(err)
	}
}
