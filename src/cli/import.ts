import { statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Client } from '../client/client.ts'
import { RefusedError, UnreachableError } from '../client/errors.ts'
import { CommandError, EXIT, runCommand, type Terminal, UsageError } from './command.ts'
import { CONNECTION_HELP, connect } from './connection.ts'
import { type ImportPage, importPage, type Outcome, PageRefused } from './import-page.ts'
import { type Found, findMarkdown, type MarkdownFile, type Refusal } from './markdown-files.ts'
import { createProgress } from './progress.ts'
import { CONFLICTS, importFile, type OnConflict } from './transfer.ts'
import { createVault } from './wikilinks.ts'

const USAGE = `usage: recto import <folder | file.zip | file.json> --space <slug>

From a folder: loads every Markdown file (.md) below the folder into a space of a running service; the space is made
when it is missing. The path of a page is that of its file within the folder, without .md. Pages that
hold the same bytes already are left alone, so that a run which was cut short is finished by another.
Symbolic links are not followed.

From a file, an archive of Markdown files or a bundle that \`recto export\` wrote: loads its pages, with
metadata and history where it holds them. The file is checked as a whole before anything is written.

Options:
  --space <slug>  the space to load into; \`personal\` is your own
  --obsidian      the folder is an Obsidian vault: its [[wikilinks]] become links
  --on-conflict <fail | skip | overwrite>
                  of a file: what happens to pages that stand already (default fail)
  --dry-run       of a file: only tell what would happen
  -h, --help      print this

${CONNECTION_HELP}
Exit code: 0 every file is there, 1 some were refused, 2 it could not run to its end, 64 wrong usage.
`

/** Pages that are on their way at one time. */
const PARALLEL = 8

interface Tally {
  readonly created: number
  readonly updated: number
  readonly unchanged: number
  readonly refused: readonly Refusal[]
}

/** `recto import`: a folder of Markdown becomes the pages of a space. */
export function importCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  return runCommand(USAGE, args, terminal, async () => {
    const { folder, space, obsidian, onConflict, dryRun } = parse(args)
    if (isFile(folder)) {
      const client = await connect(terminal)
      if (!dryRun) await prepareSpace(client, space)
      return importFile(terminal, { file: folder, space, onConflict, dryRun })
    }
    const found = findMarkdown(folder)
    const client = await connect(terminal)
    const vault = obsidian ? createVault(found.files.map(({ path }) => path)) : undefined
    const tally = await orStop(async () => {
      const blank = await prepareSpace(client, space)
      return importAll(client, space, found, { blank, vault }, terminal)
    })
    terminal.out(summary(space, found, tally))
    return tally.refused.length === 0 ? EXIT.done : EXIT.refused
  })
}

async function orStop<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof UnreachableError || error instanceof RefusedError)) throw error
    throw new CommandError(
      `stopped: ${error.message}\nWhat was loaded so far stands; the next run goes on from there.`,
    )
  }
}

interface Asked {
  readonly folder: string
  readonly space: string
  readonly obsidian: boolean
  readonly onConflict: OnConflict
  readonly dryRun: boolean
}

function parse(args: readonly string[]): Asked {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      space: { type: 'string' },
      obsidian: { type: 'boolean' },
      'on-conflict': { type: 'string' },
      'dry-run': { type: 'boolean' },
    },
  })
  const [folder, ...rest] = positionals
  if (folder === undefined) throw new UsageError('name the folder or the file to load')
  if (rest.length > 0) throw new UsageError(`one at a time: ${rest.join(' ')} is too much`)
  if (!values.space) throw new UsageError('name the space to load into with --space')
  const asked = values['on-conflict'] ?? 'fail'
  const onConflict = CONFLICTS.find((mode) => mode === asked)
  if (!onConflict) throw new UsageError(`--on-conflict must be ${CONFLICTS.join(', ')}, not ${asked}`)
  const { space, obsidian = false, 'dry-run': dryRun = false } = values
  if (!isFile(folder) && (dryRun || values['on-conflict'] !== undefined)) {
    throw new UsageError('--dry-run and --on-conflict are for files; a folder is compared page by page')
  }
  return { folder, space, obsidian, onConflict, dryRun }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

/** Makes the space when it is missing; tells whether it has no pages yet. */
async function prepareSpace(client: Client, space: string): Promise<boolean> {
  if (await client.findSpace(space)) return !(await client.hasPages(space))
  await client.createSpace(space)
  return true
}

async function importAll(
  client: Client,
  space: string,
  found: Found,
  how: ImportPage,
  terminal: Terminal,
): Promise<Tally> {
  const counts: Record<Outcome, number> = { created: 0, updated: 0, unchanged: 0 }
  const refused: Refusal[] = [...found.refused]
  const progress = createProgress(terminal, found.files.length, 'pages')
  await inParallel(found.files, async (file) => {
    const outcome = await tryPage(client, space, file, how)
    if (typeof outcome === 'string') counts[outcome]++
    else refused.push(outcome)
    progress.step()
  }).finally(progress.end)
  return { ...counts, refused: refused.sort((a, b) => (a.name < b.name ? -1 : 1)) }
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
): Promise<Outcome | Refusal> {
  try {
    return await importPage(client, space, file, how)
  } catch (error) {
    const ofThisFile =
      error instanceof PageRefused ||
      (error instanceof RefusedError && ![401, 403, 507].includes(error.status)) ||
      (error instanceof Error && 'syscall' in error)
    if (!ofThisFile) throw error
    return { name: `${file.path}.md`, reason: (error as Error).message }
  }
}

function summary(space: string, found: Found, tally: Tally): string {
  const { created, updated, unchanged, refused } = tally
  const lines = [
    `${created + updated + unchanged} pages of \`${space}\` are as in the folder: ` +
      `${created} created, ${updated} updated, ${unchanged} unchanged.`,
  ]
  const left = [
    found.others > 0 && `${found.others} other files`,
    found.links > 0 && `${found.links} symbolic links`,
  ]
  if (left.some(Boolean)) lines.push(`Left alone: ${left.filter(Boolean).join(', ')}.`)
  if (refused.length > 0) {
    lines.push(`${refused.length} refused:`, ...refused.map(({ name, reason }) => `  ${name}: ${reason}`))
  }
  return `${lines.join('\n')}\n`
}
