// Tests every feature of `lanyard serve --demo` with the client of another SDK; `sdk` wraps the
// differences between SDKs and eras:
//   open(handlers): a connected client; handlers: elicitation, sampling, roots (functions)
//   on(client, method, handler): sets the handler of a notification
//   watch(client, filter): starts notifications of changes; returns a function that ends them
//   logging(client, level): parameters that make calls send log messages of the level
//   modern: whether the era is the modern one
//   notFound: the code with which the SDK reports that a resource does not exist
import assert from 'node:assert/strict';
import { test } from 'node:test';

const png = Buffer.from('89504e470d0a1a0a', 'hex');
const counter = 'demo://counter';

/** The text of a result's only block. */
function text(result) {
    assert.equal(result.content.length, 1, JSON.stringify(result.content));
    assert.equal(result.content[0].type, 'text');
    return result.content[0].text;
}

/** Collects values and lets a test wait for them. */
class Inbox {
    values = [];
    #waiting = [];

    push(value) {
        this.values.push(value);
        for (const check of [...this.#waiting]) check();
    }

    /** Waits for a value that satisfies the condition and returns it. */
    find(condition) {
        return new Promise((resolve, reject) => {
            const guard = setTimeout(() => reject(new Error('nothing came')), 20_000);
            const check = () => {
                const found = this.values.find(condition);
                if (found === undefined) return;
                clearTimeout(guard);
                this.#waiting = this.#waiting.filter((each) => each !== check);
                resolve(found);
            };
            this.#waiting.push(check);
            check();
        });
    }
}

export function testDemo(name, sdk) {
    const suite = (what, body) =>
        test(`${name}: ${what}`, { timeout: 60_000 }, async () => {
            const asked = [];
            const answers = {
                elicitation: () => ({ action: 'decline' }),
                sampling: () => ({
                    role: 'assistant',
                    content: { type: 'text', text: 'forty-two' },
                    model: 'test-model',
                    stopReason: 'endTurn',
                }),
                roots: () => [{ uri: 'file:///tmp/work', name: 'work' }],
            };
            const client = await sdk.open({
                elicitation: (params) => (asked.push(params), answers.elicitation(params)),
                sampling: (params) => (asked.push(params), answers.sampling(params)),
                roots: () => answers.roots(),
            });
            try {
                const call = (tool, args = {}, options = undefined) =>
                    client.callTool({ name: tool, arguments: args }, ...(sdk.callOptions?.(options) ?? [options]));
                await body({ client, call, answers, asked });
            } finally {
                await client.close();
            }
        });

    suite('introduces itself', async ({ client }) => {
        assert.equal(client.getServerVersion().name, 'lanyard-demo');
        const capabilities = client.getServerCapabilities();
        for (const each of ['tools', 'resources', 'prompts', 'completions', 'logging']) {
            assert.ok(capabilities[each], each);
        }
        assert.match(client.getInstructions(), /count_down/);
        if (!sdk.modern) await client.ping();
    });

    suite('lists tools with schemas and annotations', async ({ client }) => {
        const { tools } = await client.listTools();
        const byName = new Map(tools.map((tool) => [tool.name, tool]));
        for (const each of ['echo', 'add', 'weather', 'largest', 'count_down', 'wait', 'picture', 'fail']) {
            assert.ok(byName.has(each), each);
        }
        const add = byName.get('add');
        assert.deepEqual(Object.keys(add.inputSchema.properties), ['a', 'b']);
        assert.deepEqual(add.inputSchema.required, ['a', 'b']);
        assert.equal(add.outputSchema.properties.sum.type, 'number');
        assert.equal(add.annotations.readOnlyHint, true);
        assert.equal(add.title, 'Add');
    });

    suite('calls tools with text and structured output', async ({ client, call }) => {
        await client.listTools(); // so that the SDK checks results against the output schemas
        assert.equal(text(await call('echo', { text: 'Grüße\n🙂' })), 'Grüße\n🙂');
        const sum = await call('add', { a: 1.5, b: 2 });
        assert.deepEqual(sum.structuredContent, { sum: 3.5 });
        assert.deepEqual(JSON.parse(text(sum)), { sum: 3.5 });
        const weather = await call('weather', { city: 'Oslo', units: 'fahrenheit' });
        assert.equal(weather.structuredContent.city, 'Oslo');
        assert.equal(weather.structuredContent.units, 'fahrenheit');
        assert.equal(typeof weather.structuredContent.wind.speed, 'number');
        assert.deepEqual((await call('largest', { numbers: [3, 9, 4] })).structuredContent, { largest: 9 });
    });

    suite('tells the model what is wrong with arguments', async ({ call }) => {
        for (const [tool, args, pattern] of [
            ['add', { a: 1 }, /b/],
            ['add', { a: 1, b: 'two' }, /\/b/],
            ['weather', { city: 'Oslo', units: 'kelvin' }, /\/units/],
            ['largest', { numbers: ['x'] }, /\/numbers\/0/],
            ['largest', { numbers: [] }, /\/numbers/],
        ]) {
            const result = await call(tool, args);
            assert.equal(result.isError, true);
            assert.match(text(result), pattern);
        }
    });

    suite('reports progress', async ({ call }) => {
        const steps = [];
        const result = await call('count_down', { from: 4, delay_ms: 20 }, { onprogress: (step) => steps.push(step) });
        assert.equal(text(result), 'counted down from 4');
        assert.deepEqual(steps.map((step) => step.progress), [1, 2, 3, 4]);
        assert.ok(steps.every((step) => step.total === 4));
        assert.equal(steps[0].message, '3 to go');
    });

    suite('cancels', async ({ call }) => {
        const controller = new AbortController();
        const waiting = call('wait', { seconds: 600 }, { signal: controller.signal });
        await call('echo', { text: 'the wait is under way' });
        controller.abort('no longer needed');
        await assert.rejects(waiting);
        let interrupted = '0';
        for (let i = 0; i < 200 && interrupted === '0'; ++i) interrupted = text(await call('count_interrupted'));
        assert.equal(interrupted, '1');
    });

    suite('serves many calls at a time', async ({ call }) => {
        const slow = call('wait', { seconds: 0.2 });
        const sums = await Promise.all([...Array(100).keys()].map((i) => call('add', { a: i, b: i })));
        sums.forEach((sum, i) => assert.deepEqual(sum.structuredContent, { sum: 2 * i }));
        assert.equal(text(await slow), 'waited');
    });

    suite('carries a megabyte both ways', async ({ call }) => {
        const large = '0123456789'.repeat(120_000);
        assert.ok(text(await call('echo', { text: large })) === large);
    });

    suite('asks the user by a form', async ({ call, answers, asked }) => {
        answers.elicitation = () => ({
            action: 'accept',
            content: { name: 'Ada', guests: 4, area: 'terrace', vegetarian: true },
        });
        assert.equal(text(await call('book_table')), 'a table for 4 in the name of Ada, on the terrace, vegetarian');
        const schema = asked[0].requestedSchema;
        assert.deepEqual(schema.required, ['name']);
        assert.equal(schema.properties.guests.maximum, 8);
        assert.equal(schema.properties.guests.default, 2);
        answers.elicitation = () => ({ action: 'decline' });
        assert.match(text(await call('book_table')), /decline/);
        answers.elicitation = () => ({ action: 'cancel' });
        assert.match(text(await call('book_table')), /cancel/);
    });

    suite('asks twice and does things once', async ({ call, answers }) => {
        answers.elicitation = (params) =>
            params.requestedSchema.properties.place
                ? { action: 'accept', content: { place: 'Bergen' } }
                : { action: 'accept', content: { day: '2026-12-24' } };
        assert.equal(text(await call('plan_trip')), 'ticket 1: Bergen on 2026-12-24');
        assert.equal(text(await call('plan_trip')), 'ticket 2: Bergen on 2026-12-24');
    });

    suite('asks the user and the model at a time', async ({ call, answers }) => {
        answers.elicitation = () => ({ action: 'accept', content: { place: 'Bergen' } });
        assert.equal(text(await call('ask_both')), 'the user says Bergen, the model says forty-two');
    });

    suite('sends the user to a web page', async ({ call, answers, asked }) => {
        answers.elicitation = () => ({ action: 'accept' });
        assert.equal(text(await call('open_page')), 'the user agreed');
        assert.equal(asked[0].mode, 'url');
        assert.equal(asked[0].url, 'https://example.com/confirm');
        answers.elicitation = () => ({ action: 'decline' });
        assert.equal(text(await call('open_page')), 'the user did not agree');
    });

    suite('asks the model', async ({ call, asked }) => {
        assert.equal(text(await call('ask_model', { question: 'What is six times seven?' })), 'test-model says: forty-two');
        const [message] = asked[0].messages;
        const content = Array.isArray(message.content) ? message.content[0] : message.content;
        assert.equal(content.text, 'What is six times seven?');
        assert.equal(asked[0].maxTokens, 100);
    });

    suite('asks for roots', async ({ call }) => {
        assert.equal(text(await call('list_folders')), '1 open folders\nfile:///tmp/work');
    });

    suite('returns images, sounds, links and resources', async ({ call }) => {
        const [image] = (await call('picture')).content;
        assert.equal(image.type, 'image');
        assert.equal(image.mimeType, 'image/png');
        assert.deepEqual(Buffer.from(image.data, 'base64').subarray(0, 8), png);
        const [audio] = (await call('sound')).content;
        assert.equal(audio.type, 'audio');
        assert.equal(audio.mimeType, 'audio/wav');
        assert.equal(Buffer.from(audio.data, 'base64').subarray(0, 4).toString(), 'RIFF');
        const links = (await call('link')).content;
        assert.deepEqual(links.map((link) => link.type), ['resource_link', 'resource_link']);
        assert.equal(links[0].uri, 'demo://readme');
        const [embedded] = (await call('embed')).content;
        assert.equal(embedded.resource.uri, 'demo://note');
        assert.match(embedded.resource.text, /came with the answer/);
        const mix = (await call('mix')).content;
        assert.deepEqual(mix.map((block) => block.type), ['text', 'image', 'audio', 'resource_link', 'resource']);
        assert.deepEqual(mix[0].annotations, { audience: ['user'], priority: 1 });
    });

    suite('lists and reads resources', async ({ client }) => {
        const { resources } = await client.listResources();
        const uris = resources.map((resource) => resource.uri);
        for (const uri of ['demo://readme', 'demo://picture', 'demo://time', counter]) assert.ok(uris.includes(uri), uri);
        const [readme] = (await client.readResource({ uri: 'demo://readme' })).contents;
        assert.equal(readme.mimeType, 'text/markdown');
        assert.match(readme.text, /demonstration/);
        const [picture] = (await client.readResource({ uri: 'demo://picture' })).contents;
        assert.equal(picture.mimeType, 'image/png');
        assert.deepEqual(Buffer.from(picture.blob, 'base64').subarray(0, 8), png);
        const [time] = (await client.readResource({ uri: 'demo://time' })).contents;
        assert.match(time.text, /^\d+ seconds/);
    });

    suite('reads resources of templates', async ({ client }) => {
        const { resourceTemplates } = await client.listResourceTemplates();
        assert.deepEqual(
            resourceTemplates.map((each) => each.uriTemplate).sort(),
            ['demo://greeting/{name}', 'demo://table/{table}/{row}'],
        );
        const [greeting] = (await client.readResource({ uri: 'demo://greeting/Ada%20L' })).contents;
        assert.equal(greeting.text, 'Hello, Ada L!');
        const [row] = (await client.readResource({ uri: 'demo://table/orders/7' })).contents;
        assert.equal(row.mimeType, 'application/json');
        assert.deepEqual(JSON.parse(row.text), { table: 'orders', row: 7, text: 'this is row 7' });
    });

    suite('says which resource does not exist', async ({ client }) => {
        for (const uri of ['demo://nothing', 'demo://table/orders/1000', 'demo://table/nonsense/1']) {
            await assert.rejects(client.readResource({ uri }), (error) => {
                assert.equal(error.code, sdk.notFound, String(error));
                assert.equal(error.data?.uri, uri);
                return true;
            });
        }
    });

    suite('tells of a changed resource', async ({ client, call }) => {
        const updates = new Inbox();
        sdk.on(client, 'notifications/resources/updated', ({ params }) => updates.push(params.uri));
        const end = await sdk.watch(client, { resourceSubscriptions: [counter] });
        await call('increment', { by: 2 });
        assert.equal(await updates.find((uri) => uri === counter), counter);
        const [contents] = (await client.readResource({ uri: counter })).contents;
        assert.deepEqual(JSON.parse(contents.text), { value: 2 });
        await end();
        await call('increment', {});
        await call('echo', { text: 'by now it would have come' });
        assert.equal(updates.values.length, 1);
    });

    suite('tells of changed lists', async ({ client, call }) => {
        const changes = new Inbox();
        for (const kind of ['tools', 'prompts', 'resources']) {
            sdk.on(client, `notifications/${kind}/list_changed`, () => changes.push(kind));
        }
        const end = await sdk.watch(client, {
            toolsListChanged: true,
            promptsListChanged: true,
            resourcesListChanged: true,
        });
        assert.equal((await client.listTools()).tools.some((tool) => tool.name === 'extra'), false);
        await call('set_extras', { on: true });
        for (const kind of ['tools', 'prompts', 'resources']) await changes.find((each) => each === kind);
        assert.equal(text(await call('extra')), 'still here');
        assert.equal((await client.listTools()).tools.some((tool) => tool.name === 'extra'), true);
        await call('set_extras', { on: false });
        await end();
        assert.equal((await client.listPrompts()).prompts.some((prompt) => prompt.name === 'extra'), false);
    });

    suite('lists and gets prompts', async ({ client }) => {
        const { prompts } = await client.listPrompts();
        const review = prompts.find((prompt) => prompt.name === 'review');
        assert.deepEqual(
            review.arguments.map(({ name: argument, required }) => [argument, required ?? false]),
            [['language', true], ['code', true], ['focus', false]],
        );
        const tip = await client.getPrompt({ name: 'tip' });
        assert.deepEqual(tip.messages, [{ role: 'user', content: { type: 'text', text: 'Give me a tip for today.' } }]);
        const filled = await client.getPrompt({ name: 'review', arguments: { language: 'cpp', code: 'int x;' } });
        assert.equal(filled.messages[0].content.text, 'Review this C++ code:\n\nint x;');
        const picture = await client.getPrompt({ name: 'describe_picture' });
        assert.deepEqual(picture.messages.map((message) => message.content.type), ['text', 'image', 'resource', 'text']);
        assert.equal(picture.messages[3].role, 'assistant');
        for (const request of [
            { name: 'nonsense' },
            { name: 'review', arguments: { language: 'cpp' } },
            { name: 'review', arguments: { language: 'cobol', code: 'x' } },
        ]) {
            await assert.rejects(client.getPrompt(request), { code: -32602 });
        }
    });

    suite('completes arguments', async ({ client }) => {
        const complete = async (ref, argument, context) => (await client.complete({ ref, argument, context })).completion;
        const review = { type: 'ref/prompt', name: 'review' };
        assert.deepEqual((await complete(review, { name: 'language', value: 'c' })).values, ['c', 'cpp']);
        const visit = { type: 'ref/prompt', name: 'visit' };
        assert.deepEqual((await complete(visit, { name: 'country', value: '' })).values, ['france', 'norway']);
        assert.deepEqual(
            (await complete(visit, { name: 'city', value: 'O' }, { arguments: { country: 'norway' } })).values,
            ['Oslo'],
        );
        const table = { type: 'ref/resource', uri: 'demo://table/{table}/{row}' };
        assert.deepEqual((await complete(table, { name: 'table', value: 'o' })).values, ['orders', 'offers']);
        const rows = await complete(table, { name: 'row', value: '9' });
        assert.equal(rows.values.length, 11);
    });

    suite('logs at the level that is asked for', async ({ client }) => {
        const levels = new Inbox();
        sdk.on(client, 'notifications/message', ({ params }) => levels.push(params));
        const params = await sdk.logging(client, 'warning');
        await client.callTool({ name: 'log_everything', arguments: {}, ...params });
        await levels.find((each) => each.level === 'emergency');
        assert.deepEqual(
            levels.values.map((each) => each.level),
            ['warning', 'error', 'critical', 'alert', 'emergency'],
        );
        assert.equal(levels.values[0].logger, 'demo');
        assert.equal(levels.values[0].data, 'a message of level warning');
    });

    suite('fails in every way', async ({ client, call }) => {
        const failed = await call('fail', { way: 'tool_error' });
        assert.equal(failed.isError, true);
        assert.equal(text(failed), 'this tool always fails; call echo instead');
        await assert.rejects(call('fail', { way: 'refusal' }), { code: 1001 });
        for (const way of ['exception', 'not_an_exception']) {
            const result = await call('fail', { way });
            assert.equal(result.isError, true);
            assert.doesNotMatch(text(result), /secret/);
        }
        assert.equal((await call('too_slow')).isError, true);
        assert.equal((await call('too_much')).isError, true);
        assert.equal(text(await call('print')), 'printed');
        await assert.rejects(client.callTool({ name: 'nonsense', arguments: {} }), { code: -32602 });
        assert.equal(text(await call('echo', { text: 'alive' })), 'alive');
    });
}
