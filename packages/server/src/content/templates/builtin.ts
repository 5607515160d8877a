import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { findMaximum } from '@recto/lib/extremes.ts'
import { isJsonObject, parseJson } from '@recto/lib/json/json.ts'
import { DEFAULT_LANGUAGE } from '@recto/lib/languages.ts'
import { ROOT } from '@recto/lib/root.ts'
import { parse } from 'yaml'
import type { SpaceTemplate, TemplatePage } from './space-template.ts'

const FOLDER = join(ROOT, 'space-templates')
const PAGE = '.md'
const METADATA = '.metadata.json'

/** Reads the templates in `space-templates/`, by id. Throws if one is invalid, because that is a bug in the release. */
export async function readBuiltinTemplates(): Promise<ReadonlyMap<string, SpaceTemplate>> {
  const ids = (await readdir(FOLDER)).sort()
  return new Map(await Promise.all(ids.map(async (id) => [id, await readTemplate(id)] as const)))
}

async function readTemplate(id: string): Promise<SpaceTemplate> {
  const folder = join(FOLDER, id)
  const manifest: unknown = parse(await readFile(join(folder, 'template.yaml'), 'utf8'))
  const files = await filesIn(join(folder, 'pages'))
  const pages = await Promise.all(
    files.filter((file) => file.endsWith(PAGE)).map((file) => readPage(join(folder, 'pages'), file, files)),
  )
  const times = await Promise.all(files.map(async (file) => (await stat(join(folder, 'pages', file))).mtimeMs))
  const space = isJsonObject(manifest) ? manifest.space : undefined
  return {
    source: 'builtin',
    id,
    title: readText(manifest, 'title', id),
    description: readText(manifest, 'description', id),
    category: readText(manifest, 'category', id),
    pageCount: pages.length,
    updatedAt: new Date(Math.floor(findMaximum(times))).toISOString(),
    space: {
      name: readText(space, 'name', id),
      description: readText(space, 'description', id),
      language: DEFAULT_LANGUAGE,
    },
    pages,
    files: [],
  }
}

async function readPage(root: string, file: string, files: readonly string[]): Promise<TemplatePage> {
  const path = file.slice(0, -PAGE.length)
  const body = await readFile(join(root, file), 'utf8')
  if (!files.includes(path + METADATA)) return { path, body }
  const metadata = parseJson(await readFile(join(root, path + METADATA), 'utf8'))
  if (!isJsonObject(metadata)) throw new Error(`${join(root, path + METADATA)} is not an object`)
  return { path, body, metadata }
}

/** Sorted paths below the folder, separated by `/`. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort()
}

function readText(from: unknown, member: string, id: string): string {
  const value = isJsonObject(from) ? from[member] : undefined
  if (typeof value === 'string' && value !== '') return value
  throw new Error(`space-templates/${id}/template.yaml has no \`${member}\``)
}
