import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readCall } from '@recto/cli/call.ts'
import { COMMANDS, findCommand } from '@recto/cli/commands.ts'
import { isGroup } from '@recto/cli/help.ts'
import { runLine } from '@recto/cli/recto.ts'
import type { CommandSpec } from '@recto/cli/spec.ts'
import { loadConfig } from '../../packages/server/src/platform/config.ts'
import { CLI_DOCS, cliDocs } from '../../tools/cli-docs.ts'
import { recordingTerminal, recto } from '../support/terminal.ts'

/** Every command, as the words that name it. */
function allCommands(spec: CommandSpec = COMMANDS, names: readonly string[] = []): (readonly string[])[] {
  return (spec.commands ?? []).flatMap((command) => {
    const own = [...names, command.name]
    return [own, ...allCommands(command, own)]
  })
}

test('help lists every command that is not hidden, and every command has help of its own', async () => {
  const { code, out } = await recto(['--help'])
  assert.equal(code, 0)
  const names = [...out.matchAll(/^ {2}([\w-]+) {2,}\S/gm)].map(([, name]) => String(name))
  assert.deepEqual(
    names.filter((name) => Number.isNaN(Number(name))),
    (COMMANDS.commands ?? []).filter(({ hidden }) => !hidden).map(({ name }) => name),
  )
  for (const words of allCommands().filter(([name]) => name !== 'help')) {
    const terminal = recordingTerminal({})
    assert.equal(await runLine([...words, '--help'], terminal), 0)
    assert.equal(terminal.said.err, '')
    assert.ok(terminal.said.out.startsWith(`usage: recto ${words.join(' ')}`), words.join(' '))
    const again = recordingTerminal({})
    await runLine(['help', ...words], again)
    assert.equal(again.said.out, terminal.said.out)
  }
})

test('every command has examples, and they parse', async () => {
  for (const words of allCommands()) {
    const { spec } = findCommand(words)
    if (isGroup(spec) || spec.hidden || spec.name === 'help') continue
    assert.ok((spec.examples ?? []).length > 0, `${words.join(' ')} has no example`)
    for (const [line] of spec.examples ?? []) {
      const typed = wordsOf(line)
      const found = findCommand(typed)
      assert.equal(found.spec, spec, line)
      assert.ok(readCall(spec, found.rest, recordingTerminal({})), line)
    }
  }
})

/** The words of a line as a shell gives them, without what goes to a file. */
function wordsOf(line: string): string[] {
  return [...line.replace(/ > .*/, '').matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  )
}

test('wrong usage exits with 64, a message and the usage line', async () => {
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['exprot'], /no command `exprot`; did you mean `export`\?/],
    [['constructor'], /no command/],
    [['-v'], /there is no option `-v`\n/],
    [['import'], /missing argument <source>/],
    [['import', '.'], /--space/],
    [['import', '.', '..', '--space', 'x'], /unexpected argument \.\./],
    [['import', '.', '--spcae', 'x'], /--spcae/],
    [['keys', 'remove'], /no command `keys remove`/],
    [['keys'], /name a command: list, create/],
    [['serve', 'now'], /unexpected argument now/],
    [['get', 'docs'], /<space>\/<path>/],
    [['get', 'a/b', '--version', 'x'], /--version must be an integer/],
    [['edit', 'a/b', '--append', 'x', '--prepend', 'y'], /only one edit is possible at a time/],
    [['edit', 'a/b', '--replace', 'x'], /--with/],
    [['edit', 'a/b', '--level', '2'], /--level cannot be combined with the editor/],
    [['import', '.', '--space', 'x', '--on-conflict', 'never'], /must be one of fail, skip/],
    [['import', import.meta.filename, '--space', 'x', '--on-conflict', 'merge'], /for folders/],
    [['import', import.meta.filename, '--space', 'x', '--obsidian'], /for folders: unpack the archive/],
    [['put', 'a/b', '--version', '1', '--if-match', '1'], /--version or --if-match/],
    [['meta', 'set', 'a/b', 'status'], /key=value/],
    [['meta', 'query', '=x'], /not a filter/],
    [['completion', 'fish'], /bash, zsh/],
    [['help', 'nothing'], /no command/],
  ]
  for (const [args, message] of cases) {
    const terminal = recordingTerminal({ RECTO_API_KEY: 'svc_any', RECTO_URL: 'http://127.0.0.1:1' })
    assert.equal(await runLine(args, terminal, { serve: async () => 0 }), 64, args.join(' '))
    assert.equal(terminal.said.out, '')
    assert.match(terminal.said.err, message)
    assert.match(terminal.said.err, /usage: recto/)
  }
  assert.equal((await recto(['exprot'])).code, 64)
})

test('the names of the last release still run the renamed commands', () => {
  for (const [before, now] of [
    ['promote', 'revert'],
    ['undelete', 'restore'],
    ['restore-page', 'restore'],
    ['versions', 'log'],
    ['broken', 'links broken'],
    ['orphans', 'links orphans'],
    ['wanted', 'links wanted'],
    ['spaces grant', 'spaces add-member'],
    ['spaces ungrant', 'spaces remove-member'],
  ] as const) {
    const { spec } = findCommand(before.split(' '))
    assert.equal(spec.hidden, true, before)
    assert.equal(spec.run, findCommand(now.split(' ')).spec.run, before)
  }
})

test('docs/cli.md contains the reference of the present commands', () => {
  const present = readFileSync(CLI_DOCS, 'utf8')
  assert.ok(present === cliDocs(present), 'run `npm run cli:docs` and commit docs/cli.md')
})

test('import without a service, a folder or a key exits with 2 and a message', async () => {
  const RECTO_API_KEY = 'svc_any'
  const away = await recto(['import', '.', '--space', 'x'], { RECTO_URL: 'http://127.0.0.1:1', RECTO_API_KEY })
  assert.equal(away.code, 2)
  assert.match(away.err, /http:\/\/127\.0\.0\.1:1 does not answer: .*Is Recto running there\?/)
  const folder = await recto(['import', '/no/such', '--space', 'x'], { RECTO_API_KEY })
  assert.equal(folder.code, 2)
  assert.match(folder.err, /\/no\/such/)
  const data = mkdtempSync(join(tmpdir(), 'recto-test-'))
  const key = await recto(['import', '.', '--space', 'x'], { SVC_DATA: data })
  rmSync(data, { recursive: true })
  assert.equal(key.code, 2)
  assert.match(key.err, /RECTO_API_KEY/)
})

test('keys generate prints a new key each time, valid for SVC_ADMIN_API_KEY', async () => {
  const [one, two] = await Promise.all([recto(['keys', 'generate']), recto(['keys', 'generate'])])
  assert.equal(one.code, 0)
  assert.equal(loadConfig({ SVC_ADMIN_API_KEY: one.out }).adminApiKey, one.out.trim())
  assert.notEqual(one.out, two.out)
})
