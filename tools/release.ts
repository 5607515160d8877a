/**
 * Makes a release: `npm run release -- <version> [--dry-run]`.
 *
 * Checks that the working tree is clean and that all tests pass, writes the version into package.json and CHANGELOG.md,
 * commits, tags, packs the npm packages with the bill of materials, and builds the image where a container engine is
 * there. Nothing is pushed or published. A dry run makes and checks everything in a copy of the repository and leaves
 * this one as it is.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { releaseNotes } from './changelog.ts'

const ROOT = join(import.meta.dirname, '..')
const SEMVER = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/

interface Options {
  readonly version: string
  readonly dryRun: boolean
  readonly skipTests: boolean
}

function main(): void {
  const options = parseOptions(process.argv.slice(2))
  requireCleanTree()
  if (options.dryRun) {
    const copy = copyOfRepository()
    release(copy, options)
    say(`dry run: nothing was changed here; the release is in ${copy}`)
  } else {
    release(ROOT, options)
    say(`next: git push --follow-tags, and npm publish for each .tgz`)
  }
}

function parseOptions(args: string[]): Options {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { 'dry-run': { type: 'boolean' }, 'skip-tests': { type: 'boolean' } },
  })
  const [version = '', ...others] = positionals
  if (!SEMVER.test(version) || others.length > 0) {
    fail('usage: npm run release -- <version> [--dry-run] [--skip-tests], with a version such as 1.2.3')
  }
  return { version, dryRun: values['dry-run'] ?? false, skipTests: values['skip-tests'] ?? false }
}

function requireCleanTree(): void {
  const changes = output(ROOT, 'git', 'status', '--porcelain')
  if (changes !== '') fail(`commit or stash these changes first:\n${changes}`)
}

/** A clone with packages of its own: those here link to the sources here. */
function copyOfRepository(): string {
  const copy = join(mkdtempSync(join(tmpdir(), 'recto-release-')), 'recto')
  run(ROOT, 'git', 'clone', '--quiet', ROOT, copy)
  run(copy, 'npm', 'ci', '--no-audit', '--no-fund')
  return copy
}

function release(folder: string, { version, skipTests }: Options): void {
  const tag = `v${version}`
  if (output(folder, 'git', 'tag', '--list', tag) !== '') fail(`the tag ${tag} exists already`)
  if (!skipTests) {
    for (const script of ['test', 'test:slow', 'test:stress']) step(script, () => run(folder, 'npm', 'run', script))
  }
  step(`version ${version}`, () => {
    // The first release has the version that package.json has already.
    run(folder, 'npm', 'version', version, '--no-git-tag-version', '--ignore-scripts', '--allow-same-version')
    const changelog = join(folder, 'CHANGELOG.md')
    const date = new Date().toISOString().slice(0, 10)
    writeFileSync(changelog, releaseNotes(readFileSync(changelog, 'utf8'), version, date))
    run(folder, 'git', 'add', 'package.json', 'package-lock.json', 'CHANGELOG.md')
    run(folder, 'git', 'commit', '--quiet', '-m', `chore: release ${version}`)
    run(folder, 'git', 'tag', '--annotate', tag, '-m', `Recto ${version}`)
  })
  step('package', () => {
    run(folder, 'npm', 'run', '-s', 'build')
    run(folder, 'npm', 'pack')
    run(folder, 'npm', 'run', '-s', 'build:packages')
    run(folder, 'npm', 'pack', './dist/client', './dist/cli')
  })
  step('image', () => {
    if (!hasContainerEngine()) return say('no container engine is running: build the image where there is one')
    run(folder, 'docker', 'build', '--tag', `recto:${version}`, '.')
  })
}

function hasContainerEngine(): boolean {
  try {
    execFileSync('docker', ['info'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function step(name: string, task: () => void): void {
  say(`== ${name}`)
  task()
}

function run(folder: string, command: string, ...args: string[]): void {
  execFileSync(command, args, { cwd: folder, stdio: 'inherit' })
}

function output(folder: string, command: string, ...args: string[]): string {
  return execFileSync(command, args, { cwd: folder, encoding: 'utf8' }).trim()
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

function fail(text: string): never {
  process.stderr.write(`release: ${text}\n`)
  process.exit(1)
}

main()
