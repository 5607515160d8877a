import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { test } from 'node:test'

/** The layers of ARCHITECTURE.md: a file may import from its own folder and from lower layers. */
const LAYERS: readonly (readonly string[])[] = [
  ['lib'],
  ['error-definition.ts', 'file-errors.ts'],
  ['error-table.ts'],
  ['config'],
  ['config.ts', 'errors.ts', 'version.ts'],
  ['database'],
  ['markdown', 'http', 'outbound'],
  ['access'],
  ['jobs'],
  ['events'],
  ['spaces'],
  ['people'],
  ['scim'],
  ['oauth'],
  ['files'],
  ['metadata'],
  ['links', 'search'],
  ['bulk'],
  ['pages'],
  ['lifecycle'],
  ['templates'],
  ['webhooks'],
  ['web', 'mcp'],
  ['sync'],
  ['cli'],
  ['openapi-schemas.ts', 'openapi-examples.json', 'arazzo.json'],
  ['app-embedded.ts'],
  ['app-database.ts', 'app-routes.ts'],
  ['app-services.ts'],
  ['app.ts'],
  ['main.ts'],
]
/** The client is beside the layers: it imports only its own files, and only folder sync and the command line import it. */
const CLIENT = 'client'
/** Written by `npm run client:types`. */
const GENERATED = 'client/openapi.ts'

const src = resolve(import.meta.dirname, '../src')

interface Import {
  readonly from: string
  readonly to: string
  readonly typeOnly: boolean
}

function sourceFiles(): string[] {
  return readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  )
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(src, file), 'utf8')
  const found: Import[] = []
  for (const match of text.matchAll(/^(?:import|export)\s+(type\s+)?[^'"]*?from\s+'(\.[^']+)'/gm)) {
    found.push({ from: file, to: target(file, match[2] ?? ''), typeOnly: match[1] !== undefined })
  }
  for (const match of text.matchAll(/^import\s+'(\.[^']+)'/gm)) {
    found.push({ from: file, to: target(file, match[1] ?? ''), typeOnly: false })
  }
  for (const match of text.matchAll(/import\(\s*'(\.[^']+)'\s*\)/g)) {
    found.push({ from: file, to: target(file, match[1] ?? ''), typeOnly: false })
  }
  return found.filter((found) => !found.to.startsWith('..'))
}

function target(file: string, specifier: string): string {
  return relative(src, resolve(src, dirname(file), specifier))
}

function folderOf(file: string): string {
  return file.split('/')[0] ?? file
}

function layerOf(file: string): number {
  const found = LAYERS.findIndex((folders) => folders.includes(folderOf(file)))
  assert.notEqual(found, -1, `src/${file} is in no layer: add it to ARCHITECTURE.md and to this test`)
  return found
}

test('every import is from the same folder or from a lower layer', () => {
  const wrong = sourceFiles()
    .flatMap(importsOf)
    .filter(
      ({ from, to }) =>
        folderOf(from) !== folderOf(to) && folderOf(from) !== CLIENT && folderOf(to) !== CLIENT,
    )
    .filter(({ from, to }) => layerOf(to) >= layerOf(from))
  assert.deepEqual(wrong, [])
})

test('the client imports only its own files, and only folder sync and the command line import it', () => {
  const wrong = sourceFiles()
    .flatMap(importsOf)
    .filter(({ from, to }) => folderOf(from) !== folderOf(to))
    .filter(
      ({ from, to }) =>
        folderOf(from) === CLIENT || (folderOf(to) === CLIENT && !['sync', 'cli'].includes(folderOf(from))),
    )
  assert.deepEqual(wrong, [])
})

test('there are no import cycles, type imports included', () => {
  const edges = new Map(sourceFiles().map((file) => [file, importsOf(file).map(({ to }) => to)]))
  const done = new Set<string>()
  const walk = (file: string, trail: readonly string[]): void => {
    assert.ok(!trail.includes(file), `circle: ${[...trail, file].join(' -> ')}`)
    if (done.has(file)) return
    for (const next of edges.get(file) ?? []) walk(next, [...trail, file])
    done.add(file)
  }
  for (const file of edges.keys()) walk(file, [])
})

test('only relative imports with .ts, and no file over 400 lines', () => {
  for (const file of sourceFiles().filter((file) => file !== GENERATED)) {
    const text = readFileSync(join(src, file), 'utf8')
    assert.ok(text.split('\n').length <= 401, `src/${file} is longer than 400 lines: split it`)
    for (const { to } of importsOf(file)) {
      assert.match(to, /\.(ts|json)$/, `src/${file} imports ${to} without its extension`)
    }
  }
})

test('SQL is only in store files, access, events and database', () => {
  const allowed = (file: string) =>
    /(^|\/)store(-[a-z-]+)?\.ts$/.test(file) || ['access', 'events', 'database'].includes(folderOf(file))
  for (const file of sourceFiles().filter((file) => !allowed(file))) {
    const text = readFileSync(join(src, file), 'utf8')
    assert.doesNotMatch(
      text,
      /from 'kysely'|from 'pg'|\b(insert into|delete from|select .* from) /i,
      `src/${file} contains SQL`,
    )
  }
})

test('only main.ts, cli/process.ts and config.ts read process.env', () => {
  const allowed = ['main.ts', 'cli/process.ts', 'config.ts']
  for (const file of sourceFiles().filter((file) => !allowed.includes(file))) {
    assert.doesNotMatch(
      readFileSync(join(src, file), 'utf8'),
      /process\.env/,
      `src/${file} reads process.env`,
    )
  }
})
