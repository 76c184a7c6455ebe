package main

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// peer is a client of mcp-go.
type peer struct {
	client   *client.Client
	modern   bool
	mutex    sync.Mutex
	levels   []string
	changed  []string
	progress []string
}

type result struct {
	text       string
	kinds      []string
	structured any
	isError    bool
}

// host answers the questions of the server.
type host struct{}

func (host) Elicit(_ context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	answer := &mcp.ElicitationResult{}
	answer.Action = mcp.ElicitationResponseActionAccept
	if request.Params.Mode == mcp.ElicitationModeURL {
		return answer, nil
	}
	values := object{"name": "Ada", "guests": 3, "place": "Bergen", "day": "2026-12-24"}
	content := object{}
	schema, _ := request.Params.RequestedSchema.(object)
	properties, _ := schema["properties"].(object)
	for name := range properties {
		if value, found := values[name]; found {
			content[name] = value
		}
	}
	answer.Content = content
	return answer, nil
}

func (host) CreateMessage(context.Context, mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	answer := &mcp.CreateMessageResult{Model: "test-model"}
	answer.Role = mcp.RoleAssistant
	answer.Content = mcp.NewTextContent("forty-two")
	return answer, nil
}

func (host) ListRoots(context.Context, mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	return &mcp.ListRootsResult{Roots: []mcp.Root{{URI: "file:///tmp/work", Name: "work"}}}, nil
}

func connect(ctx context.Context, kind, address, era string) (*peer, error) {
	var connection transport.Interface
	if kind == "stdio" {
		connection = transport.NewStdio(address, nil, "serve", "--demo")
	} else {
		var options []transport.StreamableHTTPCOption
		if era == "legacy" {
			options = append(options, transport.WithContinuousListening())
		}
		var err error
		if connection, err = transport.NewStreamableHTTP(address, options...); err != nil {
			return nil, err
		}
	}
	version := mcp.ProtocolVersion20260728
	if era == "legacy" {
		version = "2025-11-25"
	}
	able := mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{Form: &struct{}{}, URL: &struct{}{}}}
	p := &peer{modern: era != "legacy"}
	p.client = client.NewClient(connection, client.WithElicitationHandler(host{}), client.WithSamplingHandler(host{}),
		client.WithRootsHandler(host{}), client.WithProtocolVersion(version), client.WithClientCapabilities(able))
	p.client.OnNotification(p.notified)
	// The connection outlives the context of a call.
	if err := p.client.Start(context.WithoutCancel(ctx)); err != nil {
		return nil, err
	}
	request := mcp.InitializeRequest{}
	request.Params.ProtocolVersion = version
	request.Params.Capabilities = able
	request.Params.ClientInfo = mcp.Implementation{Name: "mcp-go", Version: "1"}
	answer, err := p.client.Initialize(ctx, request)
	if err == nil {
		err = equal(answer.ProtocolVersion, version)
	}
	return p, err
}

func (p *peer) notified(notification mcp.JSONRPCNotification) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	fields := notification.Params.AdditionalFields
	switch notification.Method {
	case "notifications/message":
		p.levels = append(p.levels, fmt.Sprint(fields["level"]))
	case "notifications/progress":
		p.progress = append(p.progress, fmt.Sprintf("%v/%v %v", fields["progress"], fields["total"], fields["message"]))
	case "notifications/tools/list_changed":
		p.changed = append(p.changed, "tools")
	case "notifications/prompts/list_changed":
		p.changed = append(p.changed, "prompts")
	case "notifications/resources/list_changed":
		p.changed = append(p.changed, "resources")
	case mcp.MethodNotificationSubscriptionsAcknowledged:
		p.changed = append(p.changed, "subscribed")
	case "notifications/resources/updated":
		p.changed = append(p.changed, fmt.Sprint(fields["uri"]))
	}
}

func (p *peer) logs() []string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return slices.Clone(p.levels)
}

func (p *peer) changes() []string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return slices.Clone(p.changed)
}

func (p *peer) tools(ctx context.Context) ([]string, error) {
	list, err := p.client.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, each := range list.Tools {
		names = append(names, each.Name)
	}
	return names, nil
}

func (p *peer) callWith(ctx context.Context, tool string, arguments object, meta *mcp.Meta) (*result, error) {
	request := mcp.CallToolRequest{}
	request.Params.Name = tool
	request.Params.Arguments = arguments
	request.Params.Meta = meta
	answer, err := p.client.CallTool(ctx, request)
	if err != nil {
		return nil, err
	}
	it := &result{structured: answer.StructuredContent, isError: answer.IsError}
	for _, block := range answer.Content {
		switch content := block.(type) {
		case mcp.TextContent:
			it.text += content.Text
			it.kinds = append(it.kinds, content.Type)
		case mcp.ImageContent:
			it.kinds = append(it.kinds, content.Type)
		case mcp.AudioContent:
			it.kinds = append(it.kinds, content.Type)
		case mcp.ResourceLink:
			it.kinds = append(it.kinds, content.Type)
		case mcp.EmbeddedResource:
			it.kinds = append(it.kinds, content.Type)
		}
	}
	return it, nil
}

func (p *peer) call(ctx context.Context, tool string, arguments object) (*result, error) {
	return p.callWith(ctx, tool, arguments, nil)
}

func (p *peer) callWithProgress(ctx context.Context, tool string, arguments object) ([]string, error) {
	_, err := p.callWith(ctx, tool, arguments, &mcp.Meta{ProgressToken: "token"})
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.progress, err
}

func (p *peer) resources(ctx context.Context) ([]string, error) {
	list, err := p.client.ListResources(ctx, mcp.ListResourcesRequest{})
	if err != nil {
		return nil, err
	}
	var uris []string
	for _, each := range list.Resources {
		uris = append(uris, each.URI)
	}
	return uris, nil
}

func (p *peer) templates(ctx context.Context) ([]string, error) {
	list, err := p.client.ListResourceTemplates(ctx, mcp.ListResourceTemplatesRequest{})
	if err != nil {
		return nil, err
	}
	var templates []string
	for _, each := range list.ResourceTemplates {
		templates = append(templates, each.URITemplate.Raw())
	}
	return templates, nil
}

func (p *peer) read(ctx context.Context, uri string) (string, error) {
	request := mcp.ReadResourceRequest{}
	request.Params.URI = uri
	answer, err := p.client.ReadResource(ctx, request)
	if err != nil {
		return "", err
	}
	switch contents := answer.Contents[0].(type) {
	case mcp.TextResourceContents:
		return contents.Text, nil
	case mcp.BlobResourceContents:
		return contents.Blob, nil
	}
	return "", fmt.Errorf("unknown contents of %s", uri)
}

func (p *peer) prompts(ctx context.Context) ([]string, error) {
	list, err := p.client.ListPrompts(ctx, mcp.ListPromptsRequest{})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, each := range list.Prompts {
		names = append(names, each.Name)
	}
	return names, nil
}

func (p *peer) prompt(ctx context.Context, name string, arguments map[string]string) (string, error) {
	request := mcp.GetPromptRequest{}
	request.Params.Name = name
	request.Params.Arguments = arguments
	answer, err := p.client.GetPrompt(ctx, request)
	if err != nil {
		return "", err
	}
	content, _ := answer.Messages[0].Content.(mcp.TextContent)
	return content.Text, nil
}

func (p *peer) complete(ctx context.Context, prompt, name, value string, known map[string]string) ([]string, error) {
	request := mcp.CompleteRequest{}
	request.Params.Ref = mcp.PromptReference{Type: "ref/prompt", Name: prompt}
	request.Params.Argument = mcp.CompleteArgument{Name: name, Value: value}
	request.Params.Context.Arguments = known
	answer, err := p.client.Complete(ctx, request)
	if err != nil {
		return nil, err
	}
	return answer.Completion.Values, nil
}

func (p *peer) callLogging(ctx context.Context, tool, level string) error {
	request := mcp.SetLevelRequest{}
	request.Params.Level = mcp.LoggingLevel(level)
	if err := p.client.SetLevel(ctx, request); err != nil {
		return err
	}
	_, err := p.call(ctx, tool, object{})
	return err
}

func (p *peer) watch(ctx context.Context, uri string) error {
	if !p.modern {
		request := mcp.SubscribeRequest{}
		request.Params.URI = uri
		return p.client.Subscribe(ctx, request)
	}
	filter := mcp.SubscriptionFilter{ToolsListChanged: true, PromptsListChanged: true, ResourcesListChanged: true,
		ResourceSubscriptions: []string{uri}}
	if _, err := p.client.ListenAsync(ctx, filter, nil); err != nil {
		return err
	}
	return until(func() bool { return slices.Contains(p.changes(), "subscribed") }, func() any { return "no subscription" })
}
