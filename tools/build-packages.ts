/**
 * Makes the npm packages besides `recto`: dist/client (`@recto/client`). `npm run build:packages`, and before a release.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

const ROOT = join(import.meta.dirname, '..')
const CLIENT = join(ROOT, 'dist/client')

await buildClient()

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
      entryPoints: [join(ROOT, 'src/client/client.ts')],
      outfile: join(folder, 'client.js'),
      bundle: true,
      format,
      target: 'es2022',
      platform: 'neutral',
    })
    writeJson(join(folder, 'package.json'), { type })
  }
  declareClient(join(CLIENT, 'esm'))
  for (const name of readdirSync(join(CLIENT, 'esm')).filter((name) => name.endsWith('.d.ts'))) {
    cpSync(join(CLIENT, 'esm', name), join(CLIENT, 'cjs', name))
  }
  const entry = (format: string) => ({
    types: `./${format}/client.d.ts`,
    default: `./${format}/client.js`,
  })
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

/** Declarations, checked without the types of Node: the client runs in browsers as well. */
function declareClient(folder: string): void {
  execFileSync(process.execPath, [join(import.meta.dirname, 'client-types.ts')], { stdio: 'inherit' })
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  const project = join(import.meta.dirname, 'client-tsconfig.json')
  execFileSync(process.execPath, [compiler, '-p', project, '--outDir', folder], { stdio: 'inherit' })
  for (const name of readdirSync(folder).filter((name) => name.endsWith('.d.ts'))) {
    const text = readFileSync(join(folder, name), 'utf8')
    writeFileSync(join(folder, name), text.replace(/(['"])(\.\/[^'"\n]+)\.ts\1/g, '$1$2.js$1'))
  }
}

/** The package.json of a package, with the version and licence of the service. */
function writePackage(folder: string, content: object): void {
  mkdirSync(folder, { recursive: true })
  const { version, license } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  writeJson(join(folder, 'package.json'), { version, license, ...content })
  cpSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'))
}

function writeJson(path: string, content: object): void {
  writeFileSync(path, `${JSON.stringify(content, undefined, 2)}\n`)
}
