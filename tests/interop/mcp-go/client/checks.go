// client stdio PATH_OF_LANYARD ERA | client http URL ERA: the client of mcp-go against `lanyard serve --demo`. Prints one
// line per check: `check NAME ok|fail|na DETAIL`.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const counter = "demo://counter"

type object = map[string]any

type check struct {
	name string
	body func(context.Context, *peer) error
}

func equal(got, want any) error {
	if reflect.DeepEqual(got, want) {
		return nil
	}
	return fmt.Errorf("got %v, want %v", got, want)
}

func contains(all []string, wanted ...string) error {
	for _, each := range wanted {
		if !slices.Contains(all, each) {
			return fmt.Errorf("%s is missing in %v", each, all)
		}
	}
	return nil
}

func until(condition func() bool, what func() any) error {
	for range 1000 {
		if condition() {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("waited in vain: %v", what())
}

func first(errors ...error) error {
	for _, err := range errors {
		if err != nil {
			return err
		}
	}
	return nil
}

func textOf(ctx context.Context, p *peer, tool string, arguments object, want string) error {
	result, err := p.call(ctx, tool, arguments)
	if err != nil {
		return err
	}
	return equal(result.text, want)
}

func structuredOf(ctx context.Context, p *peer, tool string, arguments object, want string) error {
	result, err := p.call(ctx, tool, arguments)
	if err != nil {
		return err
	}
	got, _ := json.Marshal(result.structured)
	return equal(string(got), want)
}

func checkErrors(ctx context.Context, p *peer) error {
	failed, err := p.call(ctx, "fail", object{})
	if err != nil || !failed.isError || !strings.Contains(failed.text, "this tool always fails") {
		return fmt.Errorf("fail: %v %v", failed, err)
	}
	wrong, err := p.call(ctx, "weather", object{"city": "Oslo", "units": "kelvin"})
	if err != nil || !wrong.isError || !strings.Contains(wrong.text, "units") {
		return fmt.Errorf("wrong argument: %v %v", wrong, err)
	}
	if _, err := p.call(ctx, "fail", object{"way": "refusal"}); err == nil {
		return fmt.Errorf("the call was not refused")
	}
	return textOf(ctx, p, "echo", object{"text": "alive"}, "alive")
}

func checkCancel(ctx context.Context, p *peer) error {
	interrupted := func() int {
		result, err := p.call(ctx, "count_interrupted", object{})
		if err != nil {
			return -1
		}
		number, _ := strconv.Atoi(result.text)
		return number
	}
	before := interrupted()
	short, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	if _, err := p.call(short, "wait", object{"seconds": 600}); err == nil {
		return fmt.Errorf("the call was not cancelled")
	}
	for i := 0; i < 100 && interrupted() == before; i++ {
		time.Sleep(50 * time.Millisecond)
	}
	return equal(interrupted(), before+1)
}

func checkResources(ctx context.Context, p *peer) error {
	uris, err := p.resources(ctx)
	if err = first(err, contains(uris, "demo://readme", "demo://picture", counter)); err != nil {
		return err
	}
	readme, err := p.read(ctx, "demo://readme")
	if err != nil || !strings.Contains(readme, "demonstration") {
		return fmt.Errorf("demo://readme: %v %v", readme, err)
	}
	picture, err := p.read(ctx, "demo://picture")
	if err != nil || !strings.HasPrefix(picture, "iVBORw0KGgo") {
		return fmt.Errorf("demo://picture: %v", err)
	}
	if _, err = p.read(ctx, "demo://nothing"); err == nil {
		return fmt.Errorf("demo://nothing was read")
	}
	return nil
}

func checkTemplates(ctx context.Context, p *peer) error {
	templates, err := p.templates(ctx)
	slices.Sort(templates)
	greeting, second := p.read(ctx, "demo://greeting/Ada")
	return first(err, second, equal(templates, []string{"demo://greeting/{name}", "demo://table/{table}/{row}"}),
		equal(greeting, "Hello, Ada!"))
}

func checkPrompts(ctx context.Context, p *peer) error {
	names, err := p.prompts(ctx)
	review, second := p.prompt(ctx, "review", map[string]string{"language": "cpp", "code": "int x;"})
	if _, wrong := p.prompt(ctx, "review", map[string]string{"language": "cobol", "code": "x"}); wrong == nil {
		return fmt.Errorf("a language that does not exist was taken")
	}
	return first(err, second, contains(names, "review", "tip"), equal(review, "Review this C++ code:\n\nint x;"))
}

func checkCompletion(ctx context.Context, p *peer) error {
	languages, err := p.complete(ctx, "review", "language", "c", nil)
	cities, second := p.complete(ctx, "visit", "city", "O", map[string]string{"country": "norway"})
	return first(err, second, equal(languages, []string{"c", "cpp"}), equal(cities, []string{"Oslo"}))
}

func checkElicitation(ctx context.Context, p *peer) error {
	trip, err := p.call(ctx, "plan_trip", object{})
	if err == nil && !strings.HasSuffix(trip.text, ": Bergen on 2026-12-24") {
		err = fmt.Errorf("plan_trip: %s", trip.text)
	}
	return first(err, textOf(ctx, p, "book_table", object{}, "a table for 3 in the name of Ada, inside"),
		textOf(ctx, p, "open_page", object{}, "the user agreed"))
}

func checkLog(ctx context.Context, p *peer) error {
	if err := p.callLogging(ctx, "log_everything", "warning"); err != nil {
		return err
	}
	want := []string{"warning", "error", "critical", "alert", "emergency"}
	_ = until(func() bool { return len(p.logs()) >= len(want) }, func() any { return p.logs() })
	return equal(p.logs(), want)
}

func checkChanges(ctx context.Context, p *peer) error {
	if err := p.watch(ctx, counter); err != nil {
		return err
	}
	if _, err := p.call(ctx, "set_extras", object{"on": true}); err != nil {
		return err
	}
	defer p.call(ctx, "set_extras", object{"on": false})
	came := func(wanted ...string) error {
		return until(func() bool { return contains(p.changes(), wanted...) == nil }, func() any { return p.changes() })
	}
	if err := first(came("tools", "prompts", "resources"), textOf(ctx, p, "extra", object{}, "still here")); err != nil {
		return err
	}
	if _, err := p.call(ctx, "increment", object{}); err != nil {
		return err
	}
	return came(counter)
}

func checkParallel(ctx context.Context, p *peer) error {
	var group sync.WaitGroup
	problems := make([]error, 100)
	for i := range problems {
		group.Go(func() { problems[i] = textOf(ctx, p, "echo", object{"text": strconv.Itoa(i)}, strconv.Itoa(i)) })
	}
	group.Wait()
	return first(problems...)
}

var large = strings.Repeat("0123456789", 120_000)

var checks = []check{
	{"list", func(ctx context.Context, p *peer) error {
		names, err := p.tools(ctx)
		return first(err, contains(names, "echo", "add", "weather", "count_down", "wait", "mix", "fail"))
	}},
	{"call", func(ctx context.Context, p *peer) error {
		return textOf(ctx, p, "echo", object{"text": "Grüße\n🙂"}, "Grüße\n🙂")
	}},
	{"structured", func(ctx context.Context, p *peer) error {
		return first(structuredOf(ctx, p, "add", object{"a": 1.5, "b": 2}, `{"sum":3.5}`),
			structuredOf(ctx, p, "largest", object{"numbers": []int{3, 9, 4}}, `{"largest":9}`))
	}},
	{"errors", checkErrors},
	{"progress", func(ctx context.Context, p *peer) error {
		steps, err := p.callWithProgress(ctx, "count_down", object{"from": 3, "delay_ms": 20})
		return first(err, equal(steps, []string{"1/3 2 to go", "2/3 1 to go", "3/3 0 to go"}))
	}},
	{"cancel", checkCancel},
	{"media", func(ctx context.Context, p *peer) error {
		result, err := p.call(ctx, "mix", object{})
		if err != nil {
			return err
		}
		return equal(result.kinds, []string{"text", "image", "audio", "resource_link", "resource"})
	}},
	{"resources", checkResources},
	{"templates", checkTemplates},
	{"prompts", checkPrompts},
	{"completion", checkCompletion},
	{"elicitation", checkElicitation},
	{"sampling", func(ctx context.Context, p *peer) error {
		return textOf(ctx, p, "ask_model", object{"question": "?"}, "test-model says: forty-two")
	}},
	{"roots", func(ctx context.Context, p *peer) error {
		return textOf(ctx, p, "list_folders", object{}, "1 open folders\nfile:///tmp/work")
	}},
	{"log", checkLog},
	{"changes", checkChanges},
	{"large", func(ctx context.Context, p *peer) error {
		result, err := p.call(ctx, "echo", object{"text": large})
		if err == nil && result.text != large {
			err = fmt.Errorf("%d bytes came back", len(result.text))
		}
		return err
	}},
	{"parallel", checkParallel},
	{"reuse", func(ctx context.Context, p *peer) error {
		for range 5 {
			if err := textOf(ctx, p, "echo", object{"text": "again"}, "again"); err != nil {
				return err
			}
		}
		return nil
	}},
}

func run(each check, transport, address, era string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	p, err := connect(ctx, transport, address, era)
	if err != nil {
		return err
	}
	defer p.client.Close()
	return each.body(ctx, p)
}

func main() {
	for _, each := range checks {
		if len(os.Args) > 4 && !slices.Contains(os.Args[4:], each.name) {
			continue
		}
		if err := run(each, os.Args[1], os.Args[2], os.Args[3]); err != nil {
			shown := strings.Join(strings.Fields(err.Error()), " ")
			fmt.Printf("check %s fail %s\n", each.name, shown[:min(len(shown), 300)])
		} else {
			fmt.Printf("check %s ok\n", each.name)
		}
	}
}
