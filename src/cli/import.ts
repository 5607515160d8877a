import { statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Client } from '../client/client.ts'
import { ApiError, ConnectionError } from '../client/errors.ts'
import { CommandError, EXIT, runCommand, type Terminal, UsageError } from './command.ts'
import { CONNECTION_HELP, connect, connectionOf } from './connection.ts'
import {
  CONFLICT_MODES,
  type ConflictMode,
  type ImportPage,
  importPage,
  type Outcome,
  PageRejected,
} from './import-page.ts'
import { type ImportRecord, openRecord } from './import-record.ts'
import { type Found, findMarkdown, type MarkdownFile, type RejectedFile } from './markdown-files.ts'
import { createProgress } from './progress.ts'
import { CONFLICTS, importFile, type OnConflict } from './transfer.ts'
import { createVault } from './wikilinks.ts'

const USAGE = `usage: recto import <folder | file.zip | file.json> --space <slug>

From a folder: loads every Markdown file (.md) below the folder into a space of a running service; the space is made
when it is missing. The path of a page is that of its file within the folder, without .md. Pages that
hold the same bytes already are left alone, so that a run which was cut short is finished by another.
Hidden folders are left out, and symbolic links are not followed. .recto-import.json in the folder records which
version of each page was imported, so that the next import knows what others wrote since.

From a file, an archive of Markdown files or a bundle that \`recto export\` wrote: loads its pages, with
metadata and history where it holds them. The file is checked as a whole before anything is written.

Options:
  --space <slug>  the space to load into; \`personal\` is your own
  --obsidian      the folder is an Obsidian vault: its [[wikilinks]] become links
  --metadata front-matter
                  of a folder: values of the front matter become metadata of the page
  --on-conflict <fail | skip | overwrite | merge>
                  what happens to pages that others changed. Of a folder (default merge): merge takes the changes
                  of both since the last import; fail, and merge where both changed the same lines or no import was
                  recorded, refuses the page. Of a file (default fail): pages that exist; merge is not possible
  --dry-run       only tell what would happen
  -h, --help      print this

${CONNECTION_HELP}
Exit code: 0 every file is there, 1 some were refused, 2 it could not run to its end, 64 wrong usage.
`

/** Pages that are on their way at one time. */
const PARALLEL = 8

/** Of each kind of file that was left out so many are named. */
const MAX_NAMED = 100

interface Tally {
  readonly counts: Readonly<Record<Outcome, number>>
  readonly refused: readonly RejectedFile[]
}

/** `recto import`: a folder of Markdown becomes the pages of a space. */
export function importCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  return runCommand(USAGE, args, terminal, async () => {
    const asked = parse(args)
    const { folder, space, dryRun } = asked
    if (asked.isFile) {
      const client = await connect(terminal)
      if (!dryRun) await prepareSpace(client, space)
      return importFile(terminal, { file: folder, space, onConflict: asked.onConflict, dryRun })
    }
    const found = findMarkdown(folder)
    const client = await connect(terminal)
    const tally = await orStop(() => importFolder(client, found, asked, terminal))
    terminal.out(summary(asked, found, tally))
    return tally.refused.length === 0 ? EXIT.done : EXIT.refused
  })
}

async function importFolder(
  client: Client,
  found: Found,
  { folder, space, obsidian, onConflict, dryRun, metadata }: AskedFolder,
  terminal: Terminal,
): Promise<Tally> {
  const { blank, id } = await prepareSpace(client, space, dryRun)
  // A space that is made anew under the same slug is another one.
  const record = openRecord(folder, `${connectionOf(terminal).url} ${space} ${id}`)
  const vault = obsidian ? createVault(found.files.map(({ path }) => path)) : undefined
  try {
    const how = { blank, vault, onConflict, dryRun, metadata, record }
    return await importAll(client, space, found, how, terminal)
  } finally {
    if (!dryRun) saveRecord(record, terminal)
  }
}

function saveRecord(record: ImportRecord, terminal: Terminal): void {
  try {
    record.save()
  } catch (error) {
    terminal.err(
      `The imported versions could not be recorded, so that the next import cannot merge: ${(error as Error).message}\n`,
    )
  }
}

async function orStop<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ConnectionError || error instanceof ApiError)) throw error
    throw new CommandError(
      `stopped: ${error.message}\nWhat was loaded so far stands; the next run goes on from there.`,
    )
  }
}

interface AskedFolder {
  readonly isFile: false
  readonly folder: string
  readonly space: string
  readonly obsidian: boolean
  readonly metadata: boolean
  readonly onConflict: ConflictMode
  readonly dryRun: boolean
}

interface AskedFile extends Pick<AskedFolder, 'folder' | 'space' | 'dryRun'> {
  readonly isFile: true
  readonly onConflict: OnConflict
}

function parse(args: readonly string[]): AskedFolder | AskedFile {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      space: { type: 'string' },
      obsidian: { type: 'boolean' },
      metadata: { type: 'string' },
      'on-conflict': { type: 'string' },
      'dry-run': { type: 'boolean' },
    },
  })
  const [folder, ...rest] = positionals
  if (folder === undefined) throw new UsageError('name the folder or the file to load')
  if (rest.length > 0) throw new UsageError(`one at a time: ${rest.join(' ')} is too much`)
  if (!values.space) throw new UsageError('name the space to load into with --space')
  const { space, obsidian = false, metadata, 'dry-run': dryRun = false } = values
  const asked = values['on-conflict']
  if (metadata !== undefined && metadata !== 'front-matter') {
    throw new UsageError(`--metadata must be front-matter, not ${metadata}`)
  }
  if (!isFile(folder)) {
    const onConflict = choose(CONFLICT_MODES, asked ?? 'merge')
    return { isFile: false, folder, space, obsidian, metadata: metadata !== undefined, onConflict, dryRun }
  }
  if (metadata !== undefined)
    throw new UsageError('--metadata is for folders: an archive brings its metadata')
  return { isFile: true, folder, space, onConflict: choose(CONFLICTS, asked ?? 'fail'), dryRun }
}

function choose<T extends string>(modes: readonly T[], asked: string): T {
  const mode = modes.find((known) => known === asked)
  if (mode === undefined) throw new UsageError(`--on-conflict must be ${modes.join(', ')}, not ${asked}`)
  return mode
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

/** Makes the space when it is missing; tells whether it has no pages yet, and what tells it from others. */
async function prepareSpace(
  client: Client,
  slug: string,
  dryRun = false,
): Promise<{ readonly blank: boolean; readonly id: string }> {
  const found = await client.findSpace(slug)
  if (found) return { blank: !(await client.hasPages(slug)), id: found.createdAt }
  if (dryRun) return { blank: true, id: '' }
  return { blank: true, id: (await client.createSpace(slug)).createdAt }
}

async function importAll(
  client: Client,
  space: string,
  found: Found,
  how: ImportPage,
  terminal: Terminal,
): Promise<Tally> {
  const counts = { created: 0, updated: 0, merged: 0, unchanged: 0, kept: 0, skipped: 0 }
  const refused: RejectedFile[] = [...found.refused]
  const progress = createProgress(terminal, found.files.length, 'pages')
  await inParallel(found.files, async (file) => {
    const outcome = await tryPage(client, space, file, how)
    if (typeof outcome === 'string') counts[outcome]++
    else refused.push(outcome)
    progress.step()
  }).finally(progress.end)
  return { counts, refused: refused.sort((a, b) => (a.name < b.name ? -1 : 1)) }
}

/** Works through the items, some at a time. The first error ends it once what has begun is done. */
async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values()
  const errors: unknown[] = []
  const worker = async () => {
    for (const item of queue) {
      if (errors.length > 0) return
      await work(item).catch((error: unknown) => errors.push(error))
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, worker))
  if (errors.length > 0) throw errors[0]
}

/** What is wrong with one file is told at the end; what is wrong with the service or the key ends the run. */
async function tryPage(
  client: Client,
  space: string,
  file: MarkdownFile,
  how: ImportPage,
): Promise<Outcome | RejectedFile> {
  try {
    return await importPage(client, space, file, how)
  } catch (error) {
    const ofThisFile =
      error instanceof PageRejected ||
      (error instanceof ApiError && ![401, 403, 507].includes(error.status)) ||
      (error instanceof Error && 'syscall' in error)
    if (!ofThisFile) throw error
    return { name: file.name, reason: (error as Error).message }
  }
}

function summary({ space, dryRun }: AskedFolder, found: Found, { counts, refused }: Tally): string {
  const loaded = counts.created + counts.updated + counts.unchanged + counts.merged
  const lines = [
    `${dryRun ? 'Nothing was written. It would be: ' : ''}${loaded} pages of \`${space}\` are as in the folder: ` +
      `${counts.created} created, ${counts.updated} updated, ${counts.unchanged} unchanged` +
      `${counts.merged > 0 ? `, ${counts.merged} merged with changes of others` : ''}.`,
  ]
  if (counts.kept > 0) lines.push(`${counts.kept} pages that only others changed were kept.`)
  if (counts.skipped > 0) lines.push(`${counts.skipped} pages that differ were skipped.`)
  const left = [
    found.others.length > 0 && `${found.others.length} other files and hidden folders`,
    found.links.length > 0 && `${found.links.length} symbolic links`,
  ]
  if (left.some(Boolean)) {
    lines.push(`Left alone: ${left.filter(Boolean).join(', ')}.`)
    for (const line of [...named(found.others), ...named(found.links)]) lines.push(line)
  }
  if (refused.length > 0) {
    lines.push(`${refused.length} refused:`)
    for (const { name, reason } of refused) lines.push(`  ${name}: ${reason}`)
  }
  return `${lines.join('\n')}\n`
}

function named(names: readonly string[]): string[] {
  const more = names.length - MAX_NAMED
  const shown = names.slice(0, MAX_NAMED).map((name) => `  ${name}`)
  return more > 0 ? [...shown, `  and ${more} more`] : shown
}
