// A server of mcp-go with the features that tests/interop/sdk_server_test.py expects, over stdin and stdout, or with --http
// at a URL that it prints.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

type sum struct {
	Sum float64 `json:"sum"`
}

type addInput struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

type names struct{}

func (names) CompletePromptArgument(
	_ context.Context, _ string, argument mcp.CompleteArgument, _ mcp.CompleteContext,
) (*mcp.Completion, error) {
	completion := &mcp.Completion{Values: []string{}}
	for _, name := range []string{"Ada", "Alan", "Grace"} {
		if strings.HasPrefix(name, argument.Value) {
			completion.Values = append(completion.Values, name)
		}
	}
	return completion, nil
}

func countDown(it *server.MCPServer) server.ToolHandlerFunc {
	return func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		start := request.GetInt("start", 0)
		if meta := request.Params.Meta; meta != nil && meta.ProgressToken != nil {
			for step := 1; step <= start; step++ {
				_ = it.SendNotificationToClient(ctx, "notifications/progress", map[string]any{
					"progressToken": meta.ProgressToken, "progress": step, "total": start,
					"message": fmt.Sprintf("%d to go", start-step)})
			}
		}
		return mcp.NewToolResultText("done"), nil
	}
}

func askUser(_ context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if answer := server.ElicitationResponse(request.Params.InputResponses, "name"); answer != nil {
		content, _ := answer.Content.(map[string]any)
		return mcp.NewToolResultText(fmt.Sprintf("Hello, %v!", content["name"])), nil
	}
	return server.NewInputRequestBuilder("").Elicit("name", mcp.ElicitationParams{
		Mode: mcp.ElicitationModeForm, Message: "What is your name?",
		RequestedSchema: map[string]any{"type": "object", "required": []string{"name"},
			"properties": map[string]any{"name": map[string]any{"type": "string"}}},
	}).ToolResult(), nil
}

func askModel(_ context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if answer := server.SamplingResponse(request.Params.InputResponses, "answer"); answer != nil {
		words := ""
		switch content := answer.Content.(type) {
		case mcp.TextContent:
			words = content.Text
		case map[string]any:
			words = fmt.Sprint(content["text"])
		}
		return mcp.NewToolResultText("the model says " + words), nil
	}
	return server.NewInputRequestBuilder("").Sample("answer", mcp.CreateMessageParams{MaxTokens: 10,
		Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent("six times seven")}},
	}).ToolResult(), nil
}

func build() *server.MCPServer {
	it := server.NewMCPServer("mcp-go-peer", "1", server.WithToolCapabilities(false), server.WithElicitation(),
		server.WithResourceCapabilities(false, false), server.WithPromptCapabilities(false), server.WithCompletions(),
		server.WithPromptCompletionProvider(names{}))
	it.EnableSampling()
	it.AddTool(mcp.NewTool("echo", mcp.WithDescription("Say the same again"), mcp.WithString("text", mcp.Required())),
		func(_ context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText(request.GetString("text", "")), nil
		})
	it.AddTool(mcp.NewTool("add", mcp.WithDescription("Add two numbers"), mcp.WithInputSchema[addInput](),
		mcp.WithOutputSchema[sum]()),
		mcp.NewStructuredToolHandler(func(_ context.Context, _ mcp.CallToolRequest, in addInput) (sum, error) {
			return sum{in.A + in.B}, nil
		}))
	it.AddTool(mcp.NewTool("count_down", mcp.WithDescription("Report progress"), mcp.WithInteger("start", mcp.Required())),
		countDown(it))
	it.AddTool(mcp.NewTool("fail", mcp.WithDescription("Fail")),
		func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultError("on purpose"), nil
		})
	it.AddTool(mcp.NewTool("ask_user", mcp.WithDescription("Ask the user")), askUser)
	it.AddTool(mcp.NewTool("ask_model", mcp.WithDescription("Ask the client's model")), askModel)
	it.AddResource(mcp.NewResource("peer://text", "text", mcp.WithMIMEType("text/plain")),
		func(_ context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: request.Params.URI, Text: "some text"}}, nil
		})
	it.AddResourceTemplate(mcp.NewResourceTemplate("peer://item/{number}", "item"),
		func(_ context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			number := strings.TrimPrefix(request.Params.URI, "peer://item/")
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: request.Params.URI, Text: "item " + number}}, nil
		})
	it.AddPrompt(mcp.NewPrompt("greet", mcp.WithArgument("name", mcp.RequiredArgument())),
		func(_ context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			text := mcp.NewTextContent("Say hello to " + request.Params.Arguments["name"])
			return mcp.NewGetPromptResult("", []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, text)}), nil
		})
	return it
}

func serveHTTP(it *server.MCPServer) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/mcp\n", listener.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	mux := http.NewServeMux()
	mux.Handle("/mcp", server.NewStreamableHTTPServer(it, server.WithStateful(true)))
	return http.Serve(listener, mux)
}

func main() {
	it := build()
	var err error
	if len(os.Args) > 1 {
		err = serveHTTP(it)
	} else {
		err = server.ServeStdio(it)
	}
	if err != nil {
		log.Fatal(err)
	}
}
