import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { ROOT } from '@recto/lib/root.ts'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import { writeCompressed } from './compress.ts'
import { ISLANDS, OUTPUT, STYLES, sourcesDigest } from './digest.ts'
import { type AssetEntry, builtFolder, MANIFEST, type Manifest } from './manifest.ts'
import { readMessages } from './messages.ts'

/**
 * Bundles the assets for browsers, unless they exist for the present sources. Several processes may do so concurrently.
 */
export async function buildWeb(): Promise<void> {
  if (builtFolder() !== undefined) return
  const digest = sourcesDigest()
  const folder = join(OUTPUT, `.${digest}-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  try {
    const { metafile } = await build({ ...OPTIONS, entryPoints: entryPoints(), outdir: folder })
    const manifest = buildManifest(metafile)
    compileAtOnce(folder, manifest)
    await writeCompressed(folder)
    writeFileSync(join(folder, MANIFEST), JSON.stringify(manifest))
    moveInto(folder, join(OUTPUT, digest))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  for (const name of readdirSync(OUTPUT)) {
    if (name !== digest && !name.startsWith('.')) rmSync(join(OUTPUT, name), { recursive: true, force: true })
  }
}

/**
 * Marks the scripts that a screen loads with its HTML, so that V8 compiles all their functions while they are
 * downloaded, in another thread (explicit compile hints). Without the mark it compiles a function in the main thread
 * when it is first called.
 */
function compileAtOnce(folder: string, { entries }: Manifest): void {
  const files = Object.values(entries).flatMap(({ file, imports, late }) => [file, ...imports, ...late])
  for (const file of new Set(files.filter((name) => name.endsWith('.js')))) {
    const path = join(folder, file)
    writeFileSync(path, `//# allFunctionsCalledOnLoad\n${readFileSync(path, 'utf8')}`)
  }
}

/** KaTeX declares each font in three formats; every browser that runs the islands uses the first. */
const oneFontFormat: Plugin = {
  name: 'one-font-format',
  setup({ onLoad }) {
    onLoad({ filter: /katex(\.min)?\.css$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(/,\s*url\([^)]*\.(?:woff|ttf)\)\s*format\([^)]*\)/g, ''),
      loader: 'css',
    }))
  },
}

const OPTIONS: BuildOptions & { metafile: true } = {
  absWorkingDir: ROOT,
  // The options in tsconfig.json affect types only.
  tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  bundle: true,
  minify: true,
  splitting: true,
  format: 'esm',
  target: ['chrome123', 'firefox121', 'safari17.5'],
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
  entryNames: '[name].[hash]',
  chunkNames: 'part.[hash]',
  assetNames: '[name].[hash]',
  // Bundles refer to each other by relative names: all are in one folder.
  loader: { '.svg': 'copy', '.woff2': 'file' },
  plugins: [oneFontFormat],
}

/** The entry points: files directly in the two folders. Files in subfolders are parts of these. */
function entryPoints(): string[] {
  return [ISLANDS, STYLES].flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(?:ts|css|svg)$/.test(entry.name))
      .map((entry) => join(folder, entry.name)),
  )
}

function buildManifest({ outputs }: Metafile): Manifest {
  const entries: Record<string, AssetEntry> = {}
  for (const [path, output] of Object.entries(outputs)) {
    if (output.entryPoint === undefined && !path.endsWith('.svg')) continue
    const file = basename(path)
    const [stem = ''] = file.split('.')
    const imports = listImports(path, outputs, false)
    const late = listImports(path, outputs, true).filter((name) => !imports.includes(name))
    entries[stem + extname(file)] = { file, imports, late, messages: listMessages(path, outputs) }
  }
  return { entries }
}

/** Chunks that are tasks of their own, which the editor imports when it starts. */
const IMPORTED_AT_START = /prosemirror-view\/|editor\/(?:document\/(?:schema|parse)|page\/page-mode)\.ts$/

function listImports(path: string, outputs: Metafile['outputs'], withLate: boolean): string[] {
  const seenFiles = new Set<string>([path])
  for (const output of seenFiles) {
    for (const { path: importedPath, kind, external } of outputs[output]?.imports ?? []) {
      const isLate = withLate && IMPORTED_AT_START.test(outputs[importedPath]?.entryPoint ?? '')
      const isNeeded = kind === 'import-statement' || isLate
      if (isNeeded && !external) seenFiles.add(importedPath)
    }
  }
  return [...seenFiles].slice(1).map((importedName) => basename(importedName))
}

/** The messages in the sources of a script and of all chunks that it may import, at once or later. */
function listMessages(path: string, outputs: Metafile['outputs']): string[] {
  const seenFiles = new Set<string>([path])
  const sources = new Set<string>()
  for (const output of seenFiles) {
    const { imports = [], inputs = {} } = outputs[output] ?? {}
    for (const { path: importedPath, external } of imports) if (!external) seenFiles.add(importedPath)
    for (const input of Object.keys(inputs)) if (input.startsWith('packages/')) sources.add(input)
  }
  return [...new Set([...sources].flatMap((source) => readMessages(readFileSync(join(ROOT, source), 'utf8'))))].sort()
}

/** Another process may have been faster: its bundles are the same. */
function moveInto(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (builtFolder() !== to) throw error
  }
}
