import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { extname, join } from 'node:path'
import { ROOT } from '@recto/lib/root.ts'
import { StartError } from '../../../platform/database/embedded/start-error.ts'
import { findTranslation, SOURCE_LANGUAGE } from '../../../platform/language/t.ts'
import { builtFolder, type Manifest, readManifest } from '../bundle/manifest.ts'
import { currentLanguage, type Html, html, trusted } from '../html.ts'

/** A file that browsers load. Its name contains a digest of its bytes, so that it can be cached forever. */
export interface Asset {
  readonly file: string
  readonly contentType: string
  /** The content encodings that were built, the smallest first. */
  readonly encodings: readonly Encoding[]
}

export type Encoding = 'br' | 'gzip'

interface Assets {
  readonly manifest: Manifest
  readonly files: ReadonlyMap<string, Asset>
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}
const SUFFIXES: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' }

let loadedAssets: Assets | undefined
/** By language and islands of a screen. */
const messageData = new Map<string, Html>()

/** Makes sure that the bundles exist and are those of the present sources. So does the first use. */
export function loadAssets(): Assets {
  loadedAssets ??= load()
  return loadedAssets
}

/** The URL of an asset by the name of its source: `recto.css`, `shell.js`. */
export function assetPath(name: string): string {
  return `/assets/${findEntry(name).file}`
}

/**
 * The elements that load islands: their modules, and preloads of the modules that they import, each once. Blocking ones
 * run before the first paint, to avoid layout shifts.
 */
export function islandTags(names: readonly string[], isBlocking = false): Html {
  const entries = names.map((name) => findEntry(`${name}.js`))
  // On a slow line the style sheet comes first; a screen of the editor is nothing without its scripts.
  const priority = !isBlocking && !names.includes('editor') && trusted(' fetchpriority="low"')
  const parts = [...new Set(entries.flatMap(({ imports }) => imports))]
  return html`${parts.map((part) => html`<link rel="modulepreload" href="/assets/${part}"${priority}>\n`)}${entries.map(
    ({ file, late }) =>
      html`<script type="module" src="/assets/${file}"${isBlocking && trusted(' blocking="render"')}${priority}${
        late.length > 0 && html` data-parts="${late.join(' ')}"`
      }></script>\n`,
  )}`
}

/** The translations of the messages of islands, for their `t`; nothing in English. */
export function islandMessages(names: readonly string[]): Html | undefined {
  const language = currentLanguage()
  if (language === SOURCE_LANGUAGE) return undefined
  const key = `${language} ${names.join(' ')}`
  let data = messageData.get(key)
  if (!data) {
    const messages = new Set(names.flatMap((name) => findEntry(`${name}.js`).messages))
    const translations = [...messages].map((message) => [message, findTranslation(language, message)] as const)
    const foundTranslations = Object.fromEntries(translations.filter(([, translation]) => translation !== undefined))
    const json = JSON.stringify(foundTranslations).replaceAll('<', '\\u003c')
    data = html`<script type="application/json" id="messages">${trusted(json)}</script>\n`
    messageData.set(key, data)
  }
  return data
}

/** The asset at a URL below `/assets/`. */
export function findAsset(name: string): Asset | undefined {
  return loadAssets().files.get(name)
}

/** The file of an asset in an encoding, or uncompressed. */
export function encodedFile(asset: Asset, encoding: Encoding | undefined): string {
  return encoding === undefined ? asset.file : asset.file + SUFFIXES[encoding]
}

function findEntry(name: string) {
  const entry = loadAssets().manifest.entries[name]
  if (!entry) throw new Error(`There is no asset ${name}`)
  return entry
}

function load(): Assets {
  const folder = builtFolder() ?? build()
  const names = new Set(readdirSync(folder))
  const files = new Map<string, Asset>()
  for (const name of names) {
    const contentType = TYPES[extname(name)]
    if (contentType === undefined) continue
    const encodings = (['br', 'gzip'] as const).filter((encoding) => names.has(name + SUFFIXES[encoding]))
    files.set(name, { file: join(folder, name), contentType, encodings })
  }
  return { manifest: readManifest(folder), files }
}

/** In a separate process, so that the memory of the bundler is released. */
function build(): string {
  try {
    execFileSync(process.execPath, [join(ROOT, 'packages/server/src/interfaces/web/build.ts')], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  } catch (error) {
    const { stderr } = error as { stderr?: Buffer } // an error of execFileSync
    throw new StartError(
      `the assets for browsers could not be built; ` +
        `\`npm ci\` installs the bundler, \`npm run build\` shows the error\n${stderr ?? ''}`,
    )
  }
  const folder = builtFolder()
  if (folder === undefined) throw new StartError('the sources of the assets for browsers changed during the build')
  return folder
}
