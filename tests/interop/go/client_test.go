// The client of the official Go SDK against `lanyard serve --demo`, in both eras. LANYARD_PROGRAM is the path of the
// program, LANYARD_TRANSPORT the transport: http, otherwise stdio.
package interop

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var versions = []string{"2025-06-18", "2025-11-25", "2026-07-28"}

type peer struct {
	*mcp.ClientSession
	mutex    sync.Mutex
	progress []float64
	levels   []string
	updates  chan string
	changes  chan struct{}
}

// transport starts a separate server and returns a transport to it.
func transport(t *testing.T) mcp.Transport {
	t.Helper()
	command := exec.Command(os.Getenv("LANYARD_PROGRAM"), "serve", "--demo")
	if os.Getenv("LANYARD_TRANSPORT") != "http" {
		return &mcp.CommandTransport{Command: command}
	}
	command.Args = append(command.Args, "--http", "127.0.0.1:0")
	output, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Signal(os.Interrupt)
		if err := command.Wait(); err != nil {
			t.Error(err)
		}
	})
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return &mcp.StreamableClientTransport{Endpoint: regexp.MustCompile(`http://\S+`).FindString(line)}
}

func connect(t *testing.T, version string) *peer {
	t.Helper()
	p := &peer{updates: make(chan string, 10), changes: make(chan struct{}, 10)}
	client := mcp.NewClient(&mcp.Implementation{Name: "go", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada", "guests": 3}}, nil
		},
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: "assistant", Model: "test-model",
				Content: &mcp.TextContent{Text: "forty-two"}}, nil
		},
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
			p.mutex.Lock()
			defer p.mutex.Unlock()
			p.progress = append(p.progress, req.Params.Progress)
		},
		ResourceUpdatedHandler: func(_ context.Context, req *mcp.ResourceUpdatedNotificationRequest) {
			p.updates <- req.Params.URI
		},
		LoggingMessageHandler: func(_ context.Context, req *mcp.LoggingMessageRequest) {
			p.mutex.Lock()
			defer p.mutex.Unlock()
			p.levels = append(p.levels, string(req.Params.Level))
		},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { p.changes <- struct{}{} },
	})
	client.AddRoots(&mcp.Root{URI: "file:///tmp/work", Name: "work"})
	session, err := client.Connect(t.Context(), transport(t), &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	p.ClientSession = session
	return p
}

func (p *peer) call(t *testing.T, name string, arguments map[string]any) *mcp.CallToolResult {
	t.Helper()
	if arguments == nil {
		arguments = map[string]any{} // a nil map would be sent as null
	}
	result, err := p.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return result
}

func (p *peer) text(t *testing.T, name string, arguments map[string]any) string {
	t.Helper()
	return p.call(t, name, arguments).Content[0].(*mcp.TextContent).Text
}

func eachVersion(t *testing.T, body func(t *testing.T, p *peer)) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			p := connect(t, version)
			if got := p.InitializeResult().ProtocolVersion; got != version {
				t.Fatalf("negotiated %s", got)
			}
			body(t, p)
		})
	}
}

func want[T any](t *testing.T, got, expected T) {
	t.Helper()
	if !reflect.DeepEqual(got, expected) {
		t.Errorf("got %v, want %v", got, expected)
	}
}

func TestTools(t *testing.T) {
	eachVersion(t, func(t *testing.T, p *peer) {
		names := map[string]bool{}
		for tool, err := range p.Tools(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			names[tool.Name] = true
		}
		want(t, names["count_down"], true)
		want(t, p.text(t, "echo", map[string]any{"text": "grün"}), "grün")
		sum := p.call(t, "add", map[string]any{"a": 1, "b": 2})
		want(t, sum.StructuredContent.(map[string]any)["sum"].(float64), 3)
		want(t, p.call(t, "fail", nil).IsError, true)
		_, err := p.CallTool(t.Context(), &mcp.CallToolParams{Name: "fail", Arguments: map[string]any{"way": "refusal"}})
		var refusal *jsonrpc.Error
		if !errors.As(err, &refusal) || refusal.Code != 1001 {
			t.Errorf("got %v, want the refusal", err)
		}
	})
}

func TestProgressAndCancellation(t *testing.T) {
	eachVersion(t, func(t *testing.T, p *peer) {
		params := &mcp.CallToolParams{Name: "count_down", Arguments: map[string]any{"from": 3, "delay_ms": 20}}
		params.SetProgressToken("token")
		if _, err := p.CallTool(t.Context(), params); err != nil {
			t.Fatal(err)
		}
		steps := func() []float64 {
			p.mutex.Lock()
			defer p.mutex.Unlock()
			return slices.Clone(p.progress)
		}
		for i := 0; i < 1000 && len(steps()) < 3; i++ { // a handler may run after the call
			time.Sleep(20 * time.Millisecond)
		}
		want(t, steps(), []float64{1, 2, 3})
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		if _, err := p.CallTool(ctx, &mcp.CallToolParams{Name: "wait", Arguments: map[string]any{"seconds": 600}}); err == nil {
			t.Error("the call was not cancelled")
		}
		interrupted := "0"
		for i := 0; i < 200 && interrupted == "0"; i++ {
			interrupted = p.text(t, "count_interrupted", nil)
		}
		want(t, interrupted, "1")
	})
}

func TestQuestions(t *testing.T) {
	eachVersion(t, func(t *testing.T, p *peer) {
		want(t, p.text(t, "book_table", nil), "a table for 3 in the name of Ada, inside")
		want(t, p.text(t, "ask_model", map[string]any{"question": "?"}), "test-model says: forty-two")
	})
}

func TestResources(t *testing.T) {
	eachVersion(t, func(t *testing.T, p *peer) {
		templates, err := p.ListResourceTemplates(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		want(t, len(templates.ResourceTemplates), 2)
		result, err := p.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "demo://greeting/Ada"})
		if err != nil {
			t.Fatal(err)
		}
		want(t, result.Contents[0].Text, "Hello, Ada!")
		if _, err := p.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "demo://nothing"}); err == nil {
			t.Error("there is no such resource")
		}
		if err := p.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "demo://counter"}); err != nil {
			t.Fatal(err)
		}
		p.call(t, "increment", nil)
		select {
		case uri := <-p.updates:
			want(t, uri, "demo://counter")
		case <-time.After(20 * time.Second):
			t.Error("no update came")
		}
	})
}

func TestPromptsAndCompletion(t *testing.T) {
	eachVersion(t, func(t *testing.T, p *peer) {
		result, err := p.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "review",
			Arguments: map[string]string{"language": "rust", "code": "x"}})
		if err != nil {
			t.Fatal(err)
		}
		want(t, result.Messages[0].Content.(*mcp.TextContent).Text, "Review this Rust code:\n\nx")
		completed, err := p.Complete(t.Context(), &mcp.CompleteParams{
			Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: "review"},
			Argument: mcp.CompleteParamsArgument{Name: "language", Value: "c"}})
		if err != nil {
			t.Fatal(err)
		}
		want(t, completed.Completion.Values, []string{"c", "cpp"})
	})
}

func TestMedia(t *testing.T) {
	eachVersion(t, func(t *testing.T, p *peer) {
		var kinds []string
		for _, block := range p.call(t, "mix", nil).Content {
			kinds = append(kinds, strings.TrimPrefix(fmt.Sprintf("%T", block), "*mcp."))
		}
		want(t, kinds, []string{"TextContent", "ImageContent", "AudioContent", "ResourceLink", "EmbeddedResource"})
	})
}

func TestRoots(t *testing.T) {
	eachVersion(t, func(t *testing.T, p *peer) {
		want(t, p.text(t, "list_folders", nil), "1 open folders\nfile:///tmp/work")
	})
}

func TestLog(t *testing.T) {
	eachVersion(t, func(t *testing.T, p *peer) {
		params := &mcp.CallToolParams{Name: "log_everything", Arguments: map[string]any{}}
		if p.InitializeResult().ProtocolVersion == "2026-07-28" {
			params.Meta = mcp.Meta{"io.modelcontextprotocol/logLevel": "warning"}
		} else if err := p.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "warning"}); err != nil {
			t.Fatal(err)
		}
		if _, err := p.CallTool(t.Context(), params); err != nil {
			t.Fatal(err)
		}
		levels := func() []string {
			p.mutex.Lock()
			defer p.mutex.Unlock()
			return slices.Clone(p.levels)
		}
		for i := 0; i < 1000 && len(levels()) < 5; i++ {
			time.Sleep(20 * time.Millisecond)
		}
		want(t, levels(), []string{"warning", "error", "critical", "alert", "emergency"})
	})
}

func TestLargeAndParallel(t *testing.T) {
	eachVersion(t, func(t *testing.T, p *peer) {
		large := strings.Repeat("0123456789", 120_000)
		want(t, p.text(t, "echo", map[string]any{"text": large}) == large, true)
		var group sync.WaitGroup
		for i := range 100 {
			group.Go(func() { want(t, p.text(t, "echo", map[string]any{"text": strconv.Itoa(i)}), strconv.Itoa(i)) })
		}
		group.Wait()
	})
}

func TestChangingLists(t *testing.T) {
	eachVersion(t, func(t *testing.T, p *peer) {
		p.call(t, "set_extras", map[string]any{"on": true})
		select {
		case <-p.changes:
		case <-time.After(20 * time.Second):
			t.Error("no change came")
		}
		want(t, p.text(t, "extra", nil), "still here")
	})
}
