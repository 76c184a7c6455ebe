// A server of the official Go SDK with the features that tests/interop/sdk_server_test.py expects, over stdin and
// stdout, or with --http at a URL that it prints.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
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

type countDownInput struct {
	Start int `json:"start"`
}

type nothing struct{}

func text(words string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: words}}}
}

func countDown(ctx context.Context, req *mcp.CallToolRequest, in countDownInput) (*mcp.CallToolResult, any, error) {
	for step := 1; step <= in.Start; step++ {
		if token := req.Params.GetProgressToken(); token != nil {
			err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: token, Progress: float64(step), Total: float64(in.Start)})
			if err != nil {
				return nil, nil, err
			}
		}
	}
	return text("done"), nil, nil
}

func askUser(_ context.Context, req *mcp.CallToolRequest, _ nothing) (*mcp.CallToolResult, any, error) {
	answer, answered := req.Params.InputResponses["name"].(*mcp.ElicitResult)
	if !answered {
		schema := &jsonschema.Schema{Type: "object", Required: []string{"name"},
			Properties: map[string]*jsonschema.Schema{"name": {Type: "string"}}}
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{
			"name": &mcp.ElicitParams{Message: "What is your name?", RequestedSchema: schema}}}, nil, nil
	}
	return text(fmt.Sprintf("Hello, %v!", answer.Content["name"])), nil, nil
}

func readItem(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	number := strings.TrimPrefix(req.Params.URI, "peer://item/")
	return contents(req, "item "+number), nil
}

func contents(req *mcp.ReadResourceRequest, words string) *mcp.ReadResourceResult {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{
		{URI: req.Params.URI, MIMEType: "text/plain", Text: words}}}
}

func complete(_ context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	values := []string{}
	for _, name := range []string{"Ada", "Alan", "Grace"} {
		if strings.HasPrefix(name, req.Params.Argument.Value) {
			values = append(values, name)
		}
	}
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: values}}, nil
}

func greet(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	words := "Say hello to " + req.Params.Arguments["name"]
	return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
		{Role: "user", Content: &mcp.TextContent{Text: words}}}}, nil
}

// serveHTTP serves until stdin ends. The SDK supports the modern era only without sessions.
func serveHTTP(server *mcp.Server) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/mcp\n", listener.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	only := func(*http.Request) *mcp.Server { return server }
	stateful := mcp.NewStreamableHTTPHandler(only, nil)
	stateless := mcp.NewStreamableHTTPHandler(only, &mcp.StreamableHTTPOptions{Stateless: true})
	return http.Serve(listener, http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		if request.Header.Get("MCP-Protocol-Version") >= "2026-07-28" {
			stateless.ServeHTTP(answer, request)
		} else {
			stateful.ServeHTTP(answer, request)
		}
	}))
}

func main() {
	server := mcp.NewServer(&mcp.Implementation{Name: "go-peer", Version: "1"},
		&mcp.ServerOptions{CompletionHandler: complete})
	mcp.AddTool(server, &mcp.Tool{Name: "echo", Description: "Say the same again"},
		func(_ context.Context, _ *mcp.CallToolRequest, in echoInput) (*mcp.CallToolResult, any, error) {
			return text(in.Text), nil, nil
		})
	mcp.AddTool(server, &mcp.Tool{Name: "add", Description: "Add two numbers"},
		func(_ context.Context, _ *mcp.CallToolRequest, in addInput) (*mcp.CallToolResult, sum, error) {
			return nil, sum{in.A + in.B}, nil
		})
	mcp.AddTool(server, &mcp.Tool{Name: "count_down", Description: "Report progress"}, countDown)
	mcp.AddTool(server, &mcp.Tool{Name: "fail", Description: "Fail"},
		func(context.Context, *mcp.CallToolRequest, nothing) (*mcp.CallToolResult, any, error) {
			return nil, nil, errors.New("on purpose")
		})
	mcp.AddTool(server, &mcp.Tool{Name: "ask_user", Description: "Ask the user"}, askUser)
	server.AddResource(&mcp.Resource{Name: "text", URI: "peer://text", MIMEType: "text/plain"},
		func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return contents(req, "some text"), nil
		})
	server.AddResourceTemplate(&mcp.ResourceTemplate{Name: "item", URITemplate: "peer://item/{number}"}, readItem)
	server.AddPrompt(&mcp.Prompt{Name: "greet", Description: "Greet somebody",
		Arguments: []*mcp.PromptArgument{{Name: "name", Required: true}}}, greet)
	var err error
	if len(os.Args) > 1 && os.Args[1] == "--http" {
		err = serveHTTP(server)
	} else {
		err = server.Run(context.Background(), &mcp.StdioTransport{})
	}
	if err != nil {
		log.Print(err)
	}
}
