/**
 * Checks what has changed since `main`, committed or not: lint of these files, types, their tests and those of their
 * importers. `npm run check`. Tests through the interfaces run if they, or what they import, have changed; slow ones
 * only if they have changed themselves.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

process.chdir(join(import.meta.dirname, '..'))

const ISLANDS = 'packages/server/src/interfaces/web/islands/'
/** Rules about the sources as a whole, which take a second each. */
const RULES = ['test/imports.test.ts', 'test/names.test.ts']
/** What a clean tree shows within minutes only: `npm run test:slow`, `npm run test:stress`. */
const LONG = /\.(slow|stress)\.test\.ts$|^test\/(faults|upgrade)\//
const IMPORT = /(?:from|import|import\()\s*'((?:\.|@recto\/)[^']+)'/g

const changedFiles = listChangedFiles()
const sources = git('ls-files', '--cached', '--others', '--exclude-standard', '*.ts').filter(existsSync)
const tests = selectTests(changedFiles, sources)
process.stdout.write(
  `${changedFiles.length} changed files, ${tests.unit.length + tests.interfaces.length} files of tests\n`,
)
const results = [
  run('lint', changedFiles, (files) => [
    'biome',
    ['check', '--error-on-warnings', '--no-errors-on-unmatched', ...files],
  ]),
  run('client types', changedFiles.filter(isServerSource), () => ['npm', ['run', '-s', 'client:types']]),
  run('types', changedFiles.filter(isTypeScript), () => ['npm', ['run', '-s', 'tsc', '--', '--noEmit']]),
  run('types of islands', changedFiles.filter(isIsland), () => [
    'npm',
    ['run', '-s', 'tsc', '--', '--noEmit', '-p', ISLANDS],
  ]),
  run('unit tests', tests.unit, (files) => ['npm', ['run', '-s', 'test:in-process', '--', ...files]]),
  run('tests', tests.interfaces, (files) => ['npm', ['run', '-s', 'test:shared', '--', ...files]]),
]
process.exitCode = results.every(Boolean) ? 0 : 1

/** Those of the commits since `main`, of the working tree, and new ones; without deleted ones. */
function listChangedFiles(): string[] {
  const hasMain = spawnSync('git', ['rev-parse', '-q', '--verify', 'main']).status === 0
  const [base = 'HEAD'] = hasMain ? git('merge-base', 'main', 'HEAD') : []
  const files = [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')]
  return [...new Set(files)].filter(existsSync).sort()
}

/**
 * Tests beside the sources reach an importer of what has changed, those through the interfaces what has changed itself.
 */
function selectTests(changed: readonly string[], all: readonly string[]) {
  const imports = new Map(all.map((file) => [file, listImports(file)]))
  const reaches = (targets: ReadonlySet<string>) => (file: string) =>
    targets.has(file) || imports.get(file)?.some((each) => targets.has(each)) === true
  const itself = new Set(changed)
  const withImporters = new Set([...changed, ...all.filter(reaches(itself))])
  const selected = all.filter((file) => file.endsWith('.test.ts') && (itself.has(file) || !LONG.test(file)))
  const unit = selected.filter((file) => file.startsWith('packages/')).filter(reaches(withImporters))
  const rules = changed.some(isTypeScript) ? RULES : []
  return {
    unit: [...unit, ...rules],
    interfaces: selected.filter((file) => file.startsWith('test/') && !RULES.includes(file)).filter(reaches(itself)),
  }
}

function listImports(file: string): string[] {
  const imports = readFileSync(file, 'utf8').matchAll(IMPORT)
  return [...imports].map(([, target = '']) => {
    const [, name, path = ''] = /^@recto\/(\w+)\/(.*)$/.exec(target) ?? []
    return name ? `packages/${name}/src/${path}` : posix.join(posix.dirname(file), target)
  })
}

function isTypeScript(file: string): boolean {
  return file.endsWith('.ts')
}

function isIsland(file: string): boolean {
  return file.startsWith(ISLANDS)
}

/** Their schemas are the types of the client. */
function isServerSource(file: string): boolean {
  return file.startsWith('packages/server/src/') && isTypeScript(file) && !file.endsWith('.test.ts')
}

function git(...words: string[]): string[] {
  return execFileSync('git', words, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
    .split('\n')
    .filter(Boolean)
}

/** Runs a step if there are files for it; whether it succeeded. */
function run(
  name: string,
  files: readonly string[],
  command: (files: readonly string[]) => readonly [string, readonly string[]],
): boolean {
  if (files.length === 0) return true
  const started = performance.now()
  const [program, words] = command(files)
  const path = `${join('node_modules', '.bin')}:${process.env.PATH}`
  const { status } = spawnSync(program, words, { stdio: 'inherit', env: { ...process.env, PATH: path } })
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  process.stdout.write(`${status === 0 ? 'passed' : 'FAILED'}: ${name}, ${seconds} s\n`)
  return status === 0
}
