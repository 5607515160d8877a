/**
 * `recto import`: writes a folder of Markdown files, or a file of `recto export`, into a space. A folder is compared
 * with the record of its last import, so that changes of others are merged (import-page.ts).
 */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '@recto/client/client.ts'
import { ApiError, ConnectionError } from '@recto/client/transport/errors.ts'
import { toEffect } from '@recto/contract/error-effect.ts'
import { inParallel } from '@recto/lib/concurrency/in-parallel.ts'
import { isJsonObject } from '@recto/lib/json/json.ts'
import { counted } from '@recto/lib/text/counted.ts'
import { createAttachments } from '@recto/markdown/attachments.ts'
import { createVault } from '@recto/markdown/extensions/wikilinks.ts'
import { type CommandCall, CommandError, EXIT, type Terminal, UsageError } from '../command.ts'
import { connect, openOperations, resolveConnection } from '../connection.ts'
import { createProgress } from '../progress.ts'
import { oneLine } from '../table.ts'
import { importAttachment } from './import-attachment.ts'
import { importMany } from './import-many.ts'
import { type ConflictMode, type ImportOutcome, type ImportPage, ImportRejected, importPage } from './import-page.ts'
import { type ImportRecord, openRecord } from './import-record.ts'
import { type Found, findMarkdown, type MarkdownFile, type RejectedFile } from './markdown-files.ts'
import type { RulePlan } from './restrictions.ts'
import { importFile } from './transfer.ts'

const CONCURRENCY = 8

/** Ignored files that the summary lists, of each kind. */
const MAX_LISTED = 100

type OutcomeCounts = Record<ImportOutcome, number>

interface Tally {
  readonly counts: Readonly<OutcomeCounts>
  /** Of files that are not Markdown. */
  readonly files: Readonly<OutcomeCounts>
  readonly rejected: readonly RejectedFile[]
}

/** `recto import` */
export async function importCommand(call: CommandCall): Promise<number> {
  const { terminal } = call
  const source = call.arg('source')
  const space = call.option('space')
  if (!space) throw new UsageError('name the target space with --space')
  const onConflict = call.option('on-conflict') as ConflictMode | undefined // one of its choices
  const dryRun = call.flag('dry-run')
  if (isFile(source)) {
    if (onConflict === 'merge') throw new UsageError('--on-conflict merge is for folders')
    if (call.flag('obsidian') || call.option('restrictions') !== undefined)
      throw new UsageError('--obsidian and --restrictions are for folders: unpack the archive first')
    const client = await connect(terminal)
    if (!dryRun) await prepareSpace(client, space)
    const frontMatter = call.option('metadata') !== undefined
    return importFile(terminal, { file: source, space, onConflict: onConflict ?? 'fail', dryRun, frontMatter })
  }
  const options = readOptions(call, space)
  const folderContent = findMarkdown(source)
  if (folderContent.attachments.some(({ path }) => path === 'exportDescriptor.properties'))
    throw new CommandError(`${source} is an XML export of Confluence: export its pages as Markdown`)
  const client = await connect(terminal)
  const tally = await explainStop(() => importFolder(client, folderContent, options, terminal))
  if (!dryRun && tally.counts.created > 0) await finishFirstStep(client)
  terminal.out(summary(options, folderContent, tally))
  return tally.rejected.length === 0 ? EXIT.done : EXIT.partial
}

/** The start screen no longer offers an import. The pages are imported whether this succeeds or not. */
async function finishFirstStep(client: Client): Promise<void> {
  try {
    await client.me.firstSteps.remove('import')
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof ConnectionError)) throw error
  }
}

async function importFolder(
  client: Client,
  folderContent: Found,
  { folder, space, obsidian, restrictions, onConflict, dryRun, metadata }: FolderImport,
  terminal: Terminal,
): Promise<Tally> {
  const paths = (files: readonly MarkdownFile[]) => files.map(({ path }) => path)
  const vault = obsidian
    ? createVault(
        paths(folderContent.files),
        createAttachments(paths(folderContent.attachments), attachmentFolder(folder)),
      )
    : undefined
  let plan: RulePlan | undefined
  if (restrictions !== undefined) {
    const { planRules } = await import('./restrictions.ts')
    const into = { space: (await client.spaces.find(space)) && space, folderContent, vault }
    plan = await planRules(restrictions, openOperations(terminal), into)
    terminal.out(plan.report)
  }
  const { empty, id } = await prepareSpace(client, space, dryRun)
  if (!dryRun) await plan?.setRules(space)
  // Includes the id, because a slug can be reused by another space.
  const record = openRecord(folder, `${resolveConnection(terminal).url} ${space} ${id}`)
  try {
    const how = { empty, vault, onConflict, dryRun, metadata, record }
    return await importAll(client, space, plan?.folderContent ?? folderContent, how, terminal)
  } finally {
    if (!dryRun) saveRecord(record, terminal)
  }
}

function saveRecord(record: ImportRecord, terminal: Terminal): void {
  try {
    record.save()
  } catch (error) {
    terminal.err(
      `The imported versions could not be recorded, so the next import cannot merge: ${(error as Error).message}\n`,
    )
  }
}

async function explainStop<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ConnectionError || error instanceof ApiError)) throw error
    throw new CommandError(
      `the import stopped: ${error.message}\nThe pages imported so far remain. Run the import again to continue.`,
    )
  }
}

type FolderImport = ReturnType<typeof readOptions>

function readOptions(call: CommandCall, space: string) {
  return {
    folder: call.arg('source'),
    space,
    obsidian: call.flag('obsidian'),
    /** A file with the restrictions of the pages in Confluence. */
    restrictions: call.option('restrictions'),
    metadata: call.option('metadata') !== undefined,
    onConflict: (call.option('on-conflict') ?? 'merge') as ConflictMode, // one of its choices
    dryRun: call.flag('dry-run'),
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

/** Creates the space if it is missing. Returns whether it is empty, and what tells it from later ones of its slug. */
async function prepareSpace(
  client: Client,
  slug: string,
  dryRun = false,
): Promise<{ readonly empty: boolean; readonly id: string }> {
  const existingSpace = await client.spaces.find(slug)
  if (existingSpace) {
    const { items } = await client.pages.list(slug, { limit: 1 })
    return { empty: items.length === 0, id: existingSpace.createdAt }
  }
  if (dryRun) return { empty: true, id: '' }
  return { empty: true, id: (await client.spaces.create(slug)).createdAt }
}

async function importAll(
  client: Client,
  space: string,
  folderContent: Found,
  how: ImportPage,
  terminal: Terminal,
): Promise<Tally> {
  const [counts, files] = [noOutcomes(), noOutcomes()]
  const rejectedFiles: RejectedFile[] = [...folderContent.rejected]
  const progress = createProgress(terminal, folderContent.attachments.length + folderContent.files.length, 'files')
  const importOne = async (file: MarkdownFile, tally: OutcomeCounts, work: () => Promise<ImportOutcome>) => {
    const outcome = await tryFile(file, work)
    if (typeof outcome === 'string') tally[outcome]++
    else rejectedFiles.push(outcome)
    progress.step()
  }
  try {
    // Before the pages that show them.
    await inParallel(folderContent.attachments, CONCURRENCY, (file) =>
      importOne(file, files, () => importAttachment(client, space, file, how)),
    )
    const onDone = (outcome: ImportOutcome) => {
      counts[outcome]++
      progress.step()
    }
    const others = await importMany({ client, space, how, onDone }, folderContent.files)
    await inParallel(others, CONCURRENCY, (file) => importOne(file, counts, () => importPage(client, space, file, how)))
  } finally {
    progress.end()
  }
  return { counts, files, rejected: rejectedFiles.sort((a, b) => (a.name < b.name ? -1 : 1)) }
}

function noOutcomes(): OutcomeCounts {
  return { created: 0, updated: 0, merged: 0, unchanged: 0, kept: 0, skipped: 0 }
}

/** An error of one file is returned for the summary; an error of the service or the key is thrown. */
async function tryFile(file: MarkdownFile, work: () => Promise<ImportOutcome>): Promise<ImportOutcome | RejectedFile> {
  try {
    return await work()
  } catch (error) {
    const isFileError =
      error instanceof ImportRejected ||
      (error instanceof ApiError && toEffect(error) !== 'stop') ||
      (error instanceof Error && 'syscall' in error)
    if (!isFileError) throw error
    return { name: file.name, reason: (error as Error).message }
  }
}

function summary({ space, dryRun }: FolderImport, folderContent: Found, { counts, files, rejected }: Tally): string {
  const matching = counts.created + counts.updated + counts.unchanged + counts.merged
  const lines = [
    (dryRun ? 'Dry run, nothing was written: ' : '') +
      `${counted(matching, 'page')} of \`${space}\` ${matching === 1 ? 'matches' : 'match'} the folder: ` +
      `${counts.created} created, ${counts.updated} updated, ${counts.unchanged} unchanged` +
      `${counts.merged > 0 ? `, ${counts.merged} merged with changes of others` : ''}.`,
  ]
  if (counts.kept > 0) lines.push(`Kept ${counted(counts.kept, 'page')} that only others changed.`)
  if (counts.skipped > 0) lines.push(`Skipped ${counted(counts.skipped, 'different page')}.`)
  if (folderContent.attachments.length > 0) {
    lines.push(
      `Files: ${files.created} created, ${files.updated} updated, ${files.unchanged} unchanged, ${files.kept} kept, ` +
        `${files.skipped} skipped.`,
    )
  }
  const ignoredCounts = [
    folderContent.others.length > 0 && counted(folderContent.others.length, 'hidden file'),
    folderContent.links.length > 0 && counted(folderContent.links.length, 'symbolic link'),
  ]
  if (ignoredCounts.some(Boolean)) {
    lines.push(`Ignored: ${ignoredCounts.filter(Boolean).join(', ')}.`)
    for (const line of [...listed(folderContent.others), ...listed(folderContent.links)]) lines.push(line)
  }
  if (rejected.length > 0) {
    lines.push(`${rejected.length} rejected:`)
    for (const { name, reason } of rejected) lines.push(`  ${oneLine(`${name}: ${reason}`)}`)
  }
  return `${lines.join('\n')}\n`
}

function listed(names: readonly string[]): string[] {
  const more = names.length - MAX_LISTED
  const listedNames = names.slice(0, MAX_LISTED).map((name) => `  ${oneLine(name)}`)
  return more > 0 ? [...listedNames, `  and ${more} more`] : listedNames
}

/** The folder for attachments in the settings of a vault; the root where none is set. */
function attachmentFolder(vault: string): string {
  try {
    const settings: unknown = JSON.parse(readFileSync(join(vault, '.obsidian', 'app.json'), 'utf8'))
    const folder = isJsonObject(settings) ? settings.attachmentFolderPath : undefined
    return typeof folder === 'string' ? folder : '/'
  } catch {
    return '/' // a vault without readable settings has the defaults
  }
}
