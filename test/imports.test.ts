import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { test } from 'node:test'

/** The floors of ARCHITECTURE.md, from the lowest: a file imports from its own room and from rooms on lower floors. */
const FLOORS: readonly (readonly string[])[] = [
  ['lib'],
  ['contract'],
  ['markdown'],
  ['platform'],
  ['access'],
  ['identity'],
  ['events'],
  ['content/spaces', 'content/files', 'content/metadata'],
  ['content/links', 'content/search'],
  ['content/pages'],
  ['content/lifecycle', 'content/templates'],
  ['content/change-requests'],
  ['content/comments', 'content/presence'],
  ['content/notifications'],
  ['interfaces/web', 'interfaces/mcp'],
  ['app'],
]
/** The packages that a package other than the server may import. The server may import all of them. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  contract: ['lib'],
  markdown: ['lib', 'contract'],
  client: [],
  cli: ['lib', 'contract', 'markdown', 'client'],
}
/** Written by `npm run client:types`. */
const GENERATED = ['client/src/openapi.ts', 'client/src/openapi-operations.ts']

const packages = resolve(import.meta.dirname, '../packages')

interface Import {
  readonly from: string
  readonly to: string
}

function sourceFiles(): string[] {
  return globSync('*/src/**/*.ts', { cwd: packages }).filter((file) => !file.endsWith('.test.ts'))
}

function listSpecifiers(file: string): string[] {
  const text = readFileSync(join(packages, file), 'utf8')
  const patterns = [
    /^(?:import|export)\s+(?:type\s+)?[^'"]*?from\s+'([^']+)'/gm,
    /^import\s+'([^']+)'/gm,
    /import\(\s*'([^']+)'\s*\)/g,
  ]
  return patterns.flatMap((pattern) => [...text.matchAll(pattern)]).map(([, specifier = '']) => specifier)
}

function listImports(file: string): Import[] {
  return listSpecifiers(file)
    .filter((specifier) => /^(?:\.|@recto\/)/.test(specifier))
    .map((specifier) => resolveImport(file, specifier))
    .filter((to) => !to.startsWith('..'))
    .map((to) => ({ from: file, to }))
}

/** Other packages are imported by their names: `@recto/lib/lru.ts`. */
function resolveImport(file: string, specifier: string): string {
  const [, name, path] = /^@recto\/(\w+)\/(.*)$/.exec(specifier) ?? []
  return name ? `${name}/src/${path}` : relative(packages, resolve(packages, dirname(file), specifier))
}

interface Package {
  readonly dependencies?: Readonly<Record<string, string>>
}

function readPackage(name: string): Package {
  return JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8'))
}

/** The names of the packages that a file imports, other than those of Node. */
function listPackageImports(file: string): string[] {
  return listSpecifiers(file)
    .filter((specifier) => !/^(?:\.|node:)/.test(specifier))
    .map((specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '')
}

/** The package of a file, and its room: the package itself, or a folder of the server. */
function findRoom(file: string): { readonly name: string; readonly room: string } {
  const [name = '', , folder = '', inner = ''] = file.split('/')
  if (name !== 'server') return { name, room: name }
  return { name, room: ['content', 'interfaces'].includes(folder) ? `${folder}/${inner}` : folder }
}

function findFloor(room: string): number {
  const floor = FLOORS.findIndex((rooms) => rooms.includes(room))
  assert.notEqual(floor, -1, `${room} is on no floor: add it to ARCHITECTURE.md and to this test`)
  return floor
}

function isAllowed({ from, to }: Import): boolean {
  const [importer, target] = [findRoom(from), findRoom(to)]
  if (importer.room === target.room) return true
  if (importer.name !== 'server') return PACKAGES[importer.name]?.includes(target.name) === true
  // The command line is part of the program, which only its composition knows.
  if (target.name === 'cli' || target.name === 'client') return importer.room === 'app'
  return findFloor(target.room) < findFloor(importer.room)
}

test('every import is from the same room or from a lower floor, and keeps the borders of the packages', () => {
  assert.deepEqual(
    sourceFiles()
      .flatMap(listImports)
      .filter((each) => !isAllowed(each)),
    [],
  )
})

test('there are no import cycles, type imports included', () => {
  const edges = new Map(sourceFiles().map((file) => [file, listImports(file).map(({ to }) => to)]))
  const done = new Set<string>()
  const walk = (file: string, trail: readonly string[]): void => {
    assert.ok(!trail.includes(file), `circle: ${[...trail, file].join(' -> ')}`)
    if (done.has(file)) return
    for (const next of edges.get(file) ?? []) walk(next, [...trail, file])
    done.add(file)
  }
  for (const file of edges.keys()) walk(file, [])
})

test('packages are imported by their names, and list what they import', () => {
  for (const file of sourceFiles()) {
    const text = readFileSync(join(packages, file), 'utf8')
    assert.doesNotMatch(text, /'(?:\.\.\/)+(?:lib|contract|markdown|client|cli)\/src\//, `packages/${file}`)
  }
  const root = readPackage('..')
  for (const [name, allowed] of Object.entries(PACKAGES)) {
    const { dependencies = {} } = readPackage(name)
    const ownSources = sourceFiles().filter((file) => file.startsWith(`${name}/`))
    const imports = new Set(ownSources.flatMap(listPackageImports))
    assert.deepEqual(Object.keys(dependencies), [...imports].sort(), `packages/${name}/package.json`)
    for (const [dependency, version] of Object.entries(dependencies)) {
      const own = dependency.replace('@recto/', '')
      if (own === dependency) assert.equal(version, root.dependencies?.[dependency], `${dependency} of ${name}`)
      else assert.ok(allowed.includes(own), `${name} imports ${dependency}`)
    }
  }
})

test('only imports with .ts, and no file over 400 lines', () => {
  for (const file of sourceFiles().filter((file) => !GENERATED.includes(file))) {
    const text = readFileSync(join(packages, file), 'utf8')
    assert.ok(text.split('\n').length <= 401, `packages/${file} is longer than 400 lines: split it`)
    for (const { to } of listImports(file)) {
      assert.match(to, /\.(ts|json)$/, `packages/${file} imports ${to} without its extension`)
    }
  }
})

test('SQL is only in store files, access, identity, events and the database', () => {
  const rooms = ['access', 'identity', 'events'].map((room) => `server/src/${room}/`)
  const isStore = (file: string) =>
    /(^|\/)store(-[a-z-]+)?\.ts$/.test(file) ||
    [...rooms, 'server/src/platform/database/'].some((folder) => file.startsWith(folder))
  for (const file of sourceFiles().filter((file) => !isStore(file))) {
    const text = readFileSync(join(packages, file), 'utf8')
    assert.doesNotMatch(
      text,
      /from 'kysely'|from 'pg'|\b(insert into|delete from|select .* from) /i,
      `packages/${file} contains SQL`,
    )
  }
})

test('only the entry points and the configuration read process.env', () => {
  const allowed = ['server/src/app/main.ts', 'cli/src/process.ts', 'server/src/platform/config.ts']
  for (const file of sourceFiles().filter((file) => !allowed.includes(file))) {
    const text = readFileSync(join(packages, file), 'utf8')
    assert.doesNotMatch(text, /process\.env/, `packages/${file} reads process.env`)
  }
})
