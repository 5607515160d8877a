/**
 * Makes the npm packages besides that of the service: dist/client (`@recto/client`), and dist/cli (`recto`, the command
 * line). `npm run build:packages`, or with the name of one of them; and before a release.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

const ROOT = join(import.meta.dirname, '..')
const CLIENT = join(ROOT, 'dist/client')
const CLI = join(ROOT, 'dist/cli')
/** What CommonJS modules in a bundle of ES modules use. */
const COMMONJS = `import { createRequire as createRequire_ } from 'node:module'
const require = createRequire_(import.meta.url), { dirname: __dirname, filename: __filename } = import.meta`

const builders: Readonly<Record<string, () => Promise<void>>> = { client: buildClient, cli: buildCli }
const [name] = process.argv.slice(2)
for (const builder of name === undefined ? Object.values(builders) : [builders[name]]) await builder?.()

/** One file for `import` and one for `require`, each beside its declarations, which a package.json says how to read. */
async function buildClient(): Promise<void> {
  rmSync(CLIENT, { recursive: true, force: true })
  const formats = [
    ['esm', 'module'],
    ['cjs', 'commonjs'],
  ] as const
  for (const [format, type] of formats) {
    const folder = join(CLIENT, format)
    await build({
      entryPoints: [join(ROOT, 'packages/client/src/client.ts')],
      outfile: join(folder, 'client.js'),
      bundle: true,
      format,
      target: 'es2022',
      platform: 'neutral',
    })
    writeJson(join(folder, 'package.json'), { type })
  }
  declareClient(join(CLIENT, 'esm'))
  for (const name of declarationsIn(join(CLIENT, 'esm'))) {
    cpSync(join(CLIENT, 'esm', name), join(CLIENT, 'cjs', name))
  }
  const entry = (format: string) => ({ types: `./${format}/client.d.ts`, default: `./${format}/client.js` })
  writePackage(CLIENT, {
    name: '@recto/client',
    description: 'Client of the HTTP API of Recto, a page workspace for people and agents.',
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20.3' },
    main: './cjs/client.js',
    types: './cjs/client.d.ts',
    exports: { '.': { import: entry('esm'), require: entry('cjs') }, './package.json': './package.json' },
    files: ['esm', 'cjs'],
  })
  cpSync(join(import.meta.dirname, 'client-readme.md'), join(CLIENT, 'README.md'))
}

/** The command line with its dependencies, in chunks, so that a start loads one command only. */
async function buildCli(): Promise<void> {
  rmSync(CLI, { recursive: true, force: true })
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: { recto: 'packages/cli/src/main.ts' },
    inject: ['packages/cli/src/node-20.ts'],
    outdir: join(CLI, 'lib'),
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'node20',
    platform: 'node',
    banner: { js: COMMONJS },
    metafile: true,
  })
  writePackage(CLI, {
    name: 'recto',
    description: 'The command line of Recto, a page workspace for people and agents.',
    type: 'module',
    engines: { node: '>=20.11' },
    bin: { recto: 'lib/recto.js' },
    files: ['lib', 'THIRD-PARTY-LICENSES'],
  })
  writeFileSync(join(CLI, 'THIRD-PARTY-LICENSES'), licencesOf(Object.keys(metafile.inputs)))
  cpSync(join(import.meta.dirname, 'cli-readme.md'), join(CLI, 'README.md'))
}

/** The licences of the packages that these files are of. */
function licencesOf(files: readonly string[]): string {
  const folders = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [])
  return [...new Set(folders)].sort().map(licenceOf).join('\n')
}

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'))
  const file = readdirSync(join(ROOT, folder)).find((name) => /^licen[cs]e/i.test(name))
  const text = file === undefined ? '' : readFileSync(join(ROOT, folder, file), 'utf8')
  return `== ${name} ${version}, ${license}\n\n${text.trim()}\n`
}

/** Declarations, checked without the types of Node: the client runs in browsers as well. */
function declareClient(folder: string): void {
  execFileSync(process.execPath, [join(import.meta.dirname, 'client-types.ts')], { stdio: 'inherit' })
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  const project = join(import.meta.dirname, 'client-tsconfig.json')
  execFileSync(process.execPath, [compiler, '-p', project, '--outDir', folder], { stdio: 'inherit' })
  for (const name of declarationsIn(folder)) {
    const text = readFileSync(join(folder, name), 'utf8')
    writeFileSync(join(folder, name), text.replace(/(['"])(\.\.?\/[^'"\n]+)\.ts\1/g, '$1$2.js$1'))
  }
}

function declarationsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.d.ts'))
}

/** The package.json of a package, with the version and licence of the service. */
function writePackage(folder: string, content: object): void {
  mkdirSync(folder, { recursive: true })
  const { version, license } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  writeJson(join(folder, 'package.json'), { version, license, publishConfig: { access: 'public' }, ...content })
  cpSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'))
}

function writeJson(path: string, content: object): void {
  writeFileSync(path, `${JSON.stringify(content, undefined, 2)}\n`)
}
