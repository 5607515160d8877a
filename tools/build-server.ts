/**
 * Bundles the program into dist/server, unless the bundle of the present sources exists: a start has a few files to
 * load instead of two thousand. `npm run build`, part of `npm ci`. `bin/recto.js` runs the sources where there is no
 * such bundle.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { builtFolder, OUTPUT, outdatedFolders, sourcesDigest } from '../bin/built-program.js'

const ROOT = join(import.meta.dirname, '..')
const SOURCES = join(ROOT, 'packages')
const SERVER = join(SOURCES, 'server/src')
/** The script of a worker, as the code names it. */
const WORKER_SCRIPT = /new URL\('\.\/([\w-]+)\.ts', import\.meta\.url\)/g

/** The bundle of workers is beside that of their callers. */
const workerScripts: Plugin = {
  name: 'worker-scripts',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]src[/\\].*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(WORKER_SCRIPT, "new URL('./$1.js', import.meta.url)"),
      loader: 'ts',
    }))
  },
}

/**
 * Without it `import` reads every export of the module when it is loaded, those of WebSocket as well, which loads
 * Undici: a twentieth of the processor time of a start.
 */
const httpOnDemand: Plugin = {
  name: 'http-on-demand',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?http$/ }, () => ({ path: 'node:http', namespace: 'on-demand' }))
    onLoad({ filter: /.*/, namespace: 'on-demand' }, () => ({
      contents: "module.exports = process.getBuiltinModule('node:http')",
    }))
  },
}

const OPTIONS: BuildOptions = {
  absWorkingDir: ROOT,
  tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  bundle: true,
  // Modules that are imported when they are needed remain separate.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  // V8 keeps the source of what runs. The names in stack traces remain; `node --enable-source-maps` shows their lines.
  // Not with `keepNames`, which names each closure when it is created: 4 % of the processor time of a read.
  minifySyntax: true,
  minifyWhitespace: true,
  charset: 'ascii',
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'linked',
  logLevel: 'warning',
  entryNames: '[name]',
  chunkNames: '[name]-[hash]',
  // Native, with files of their own, optional, imported by few deployments, imported part by part
  // (interfaces/mcp/load.ts), or dependent on the names of their classes, which the bundler changes where two are equal
  // (oidc-provider stores them).
  external: [
    '@aws-sdk/*',
    '@modelcontextprotocol/*',
    '@opentelemetry/*',
    '@zxcvbn-ts/*',
    'jq-wasm',
    'nodemailer',
    'oidc-provider',
    'pg-native',
    'sharp',
    'zod',
  ],
  // For packages in CommonJS, which require modules of Node.
  banner: {
    js:
      "import { createRequire as createBundleRequire } from 'node:module'; " +
      'const require = createBundleRequire(import.meta.url);',
  },
  plugins: [workerScripts, httpOnDemand],
}

async function buildServer(): Promise<void> {
  // It is not checked in, and other tools build the bundle without `npm run types` before.
  if (!existsSync(join(SOURCES, 'client/src/openapi-operations.ts'))) {
    execFileSync(process.execPath, [join(import.meta.dirname, 'client-types.ts')], { stdio: 'inherit' })
  }
  if (builtFolder() !== undefined) return
  const digest = sourcesDigest()
  const folder = join(OUTPUT, `.${digest}-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  try {
    await build({ ...OPTIONS, entryPoints: entryPoints(), outdir: folder })
    cpSync(join(SERVER, 'platform/database/migrations'), join(folder, 'migrations'), { recursive: true })
    moveInto(folder, join(OUTPUT, digest))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  for (const outdated of outdatedFolders()) rmSync(outdated, { recursive: true, force: true })
}

/** The program, the app for tests of the bundle, and the scripts that modules name. */
function entryPoints(): string[] {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => join(SOURCES, file))
  const workers = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(WORKER_SCRIPT)].map(([, name]) => join(file, `../${name}.ts`)),
  )
  return [join(SERVER, 'app/main.ts'), join(SERVER, 'app/app.ts'), ...workers]
}

/** Another process may have been faster: its bundle is the same. */
function moveInto(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (!existsSync(join(to, 'main.js'))) throw error
  }
}

await buildServer()
