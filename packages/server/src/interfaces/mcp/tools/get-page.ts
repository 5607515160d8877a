import { actorText } from '@recto/contract/actor-text.ts'
import { type AppError, inputError } from '@recto/contract/errors.ts'
import { given } from '@recto/lib/given.ts'
import { findSection, listSections, type Section } from '@recto/markdown/edits/sections.ts'
import { type Static, Type } from 'typebox'
import { toTrust } from '../../../access/verification.ts'
import type { PagesCtx } from '../../../content/pages/ctx.ts'
import type { Page } from '../../../content/pages/page.ts'
import { readPage } from '../../../content/pages/read.ts'
import { requireAccount } from '../../../identity/principals/visitors.ts'
import { strictObject, text } from '../../../platform/http/schemas.ts'
import { resolveAddress, versionInUrl } from '../address.ts'
import { invalidArgument, pageArguments, versionArgument } from '../arguments.ts'
import { countFitting, MAX_CONTENT, truncate } from '../bounds.ts'
import { toState } from '../change-request.ts'
import { buildExcerpt, lineStarts } from '../excerpt.ts'
import { noteRead } from '../session-reads.ts'
import { defineTool } from '../tool.ts'
import type { ToolResult } from '../tool-result.ts'
import { trustText } from '../trust-text.ts'

const lineNumber = (description?: string) =>
  Type.Optional(Type.Integer({ minimum: 1, ...(description !== undefined && { description }) }))

const input = strictObject({
  ...pageArguments,
  version: Type.Optional({ ...versionArgument, description: 'Default: latest.' }),
  view: Type.Optional(Type.Union([Type.Literal('text'), Type.Literal('outline')], { default: 'text' })),
  heading: Type.Optional(text({ minLength: 1, description: 'Only this section.' })),
  level: Type.Optional(Type.Integer({ minimum: 1, maximum: 6 })),
  occurrence: lineNumber('Of equal headings, from 1.'),
  fromLine: lineNumber(),
  fromColumn: lineNumber(),
  toLine: lineNumber(),
  if_newer_than: Type.Optional({
    ...versionArgument,
    description: 'A version that you have: "unchanged" if it is the latest.',
  }),
})
type Input = Static<typeof input>
type Summary = ReturnType<typeof summarise>
type Range = Parameters<typeof buildExcerpt>[2]

export const getPage = defineTool({
  name: 'context_get_page',
  title: 'Read a page',
  description: 'Reads a page: whole, one section, lines, or its outline.',
  scope: 'read',
  changeRequest: 'read',
  visitors: [
    ...(['space', 'path', 'view', 'heading', 'level', 'occurrence'] as const),
    ...(['fromLine', 'fromColumn', 'toLine', 'if_newer_than'] as const),
  ],
  input,
  async run(ctx, input, { session }) {
    rejectConflicting(input)
    const version = input.version ?? versionInUrl(input.path)
    if (version !== undefined) requireAccount(ctx)
    const read = await readPage(ctx, {
      ...(await resolveAddress(ctx, input, 'read')),
      ...(version !== undefined && { version }),
    })
    if (!ctx.overlay && input.if_newer_than !== undefined && read.latestVersion <= input.if_newer_than) {
      const { latestVersion } = read
      return { data: { unchanged: true, latestVersion }, text: [`unchanged (version ${latestVersion})`] }
    }
    noteRead(session, read)
    const body = read.content.body.toString('utf8')
    const starts = lineStarts(body)
    const page = await read.page()
    const { updatedBy: _, note: __, ...namelessPage } = page
    const shownPage = ctx.actor.visitor === undefined ? page : namelessPage
    const summary = summarise(shownPage, read.latestVersion, starts.length, body.length)
    if (input.view === 'outline') return outlineResult(summary, await findOutline(ctx, body, starts.length), input)
    const range = input.heading === undefined ? toRange(input, starts.length) : await sectionRange(ctx, body, input)
    return textResult(summary, body, starts, range)
  },
})

function summarise(page: Page, latestVersion: number, totalLines: number, totalCharacters: number) {
  const { space, path, url, title, updatedAt, updatedBy, verification, note } = page
  return {
    ...{ space, path, url, title, latestVersion, updatedAt, updatedBy },
    ...toState(page),
    ...(updatedBy && { trust: toTrust(updatedBy, verification) }),
    note: note ? truncate(note, 500) : null,
    totalLines,
    totalCharacters,
  }
}

function textResult(summary: Summary, body: string, starts: readonly number[], range: Range): ToolResult<object> {
  const { content, fromLine, toLine, next } = buildExcerpt(body, starts, range, MAX_CONTENT)
  const column = next && next.column > 1 ? ` and fromColumn ${next.column}` : ''
  const rest =
    next &&
    `Truncated. To continue, ` +
      `call again with ${summary.draft === undefined ? `version ${summary.version}, ` : ''}fromLine ` +
      `${next.line}${column} and toLine ${range.toLine}.`
  return {
    data: { ...summary, content, fromLine, toLine, nextLine: next?.line ?? null, nextColumn: next?.column ?? null },
    text: [
      [...formatHeader(summary), `Lines ${fromLine} to ${toLine} of ${summary.totalLines}:`],
      { content },
      ...(rest ? [rest] : []),
    ],
  }
}

function outlineResult(
  summary: Summary,
  outline: Awaited<ReturnType<typeof findOutline>>,
  { fromLine = 1 }: Input,
): ToolResult<object> {
  const remaining = outline.filter(({ line }) => line >= fromLine)
  const shownHeadings = remaining.slice(0, countFitting(remaining))
  const next = remaining[shownHeadings.length]
  const lines = shownHeadings.map(
    ({ level, text: heading, line, toLine }) => `${'#'.repeat(level)} ${heading} (lines ${line} to ${toLine})`,
  )
  const rest = next ? `More headings: call again with fromLine ${next.line}.` : 'End of outline.'
  return {
    data: {
      ...summary,
      outline: shownHeadings,
      fromLine,
      toLine: shownHeadings.at(-1)?.line ?? fromLine,
      nextLine: next?.line ?? null,
      nextColumn: null,
    },
    text: [[...formatHeader(summary), ...lines, rest]],
  }
}

function formatHeader({
  space,
  path,
  version,
  draft,
  latestVersion,
  title,
  updatedAt,
  updatedBy,
  trust,
  totalLines,
  totalCharacters,
}: Summary): string[] {
  const old = version === latestVersion ? '' : ` (the latest is ${latestVersion})`
  return [
    `Page ${space}/${path}, ${draft === undefined ? `version ${version}${old}` : `draft ${draft}`}: ${title}`,
    `Changed ${updatedAt}${updatedBy ? ` by ${actorText(updatedBy)}` : ''}${trust ? trustText(trust) : ''}. ` +
      `${totalLines} lines, ${totalCharacters} characters.`,
  ]
}

async function findOutline(ctx: PagesCtx, body: string, totalLines: number) {
  const { headings } = await ctx.pages.markdown.analyse(body)
  return listSections(headings).map((section) => ({
    level: section.heading.level,
    text: section.heading.text,
    line: section.heading.line,
    /** Last line of its section. */
    toLine: lastLine(section, totalLines),
  }))
}

function lastLine({ next }: Section, totalLines: number): number {
  return next ? next.line - 1 : totalLines
}

function toRange({ fromLine = 1, fromColumn = 1, toLine }: Input, totalLines: number): Range {
  if (fromLine > totalLines) throw invalidArgument('fromLine', `must not be greater than ${totalLines}, the last line`)
  if (toLine !== undefined && toLine < fromLine) throw invalidArgument('toLine', 'must not be less than fromLine')
  return { fromLine, fromColumn, toLine: Math.min(toLine ?? totalLines, totalLines) }
}

async function sectionRange(ctx: PagesCtx, body: string, { heading = '', level, occurrence }: Input): Promise<Range> {
  const { headings } = await ctx.pages.markdown.analyse(body)
  const sectionMatch = findSection(headings, { heading, ...given({ level, occurrence }) })
  if ('problem' in sectionMatch) throw sectionNotFound(sectionMatch.problem)
  const { section } = sectionMatch
  return { fromLine: section.heading.line, fromColumn: 1, toLine: lastLine(section, lineStarts(body).length) }
}

function rejectConflicting({ view, heading, level, occurrence, fromLine, fromColumn, toLine }: Input): void {
  const isRange = fromLine !== undefined || fromColumn !== undefined || toLine !== undefined
  if (heading !== undefined && isRange) throw invalidArgument('heading', 'cannot be combined with lines')
  if (heading !== undefined && view === 'outline')
    throw invalidArgument('heading', 'cannot be combined with the outline')
  if (view === 'outline' && toLine !== undefined) throw invalidArgument('toLine', 'cannot be combined with the outline')
  if (heading === undefined && level !== undefined) throw invalidArgument('level', 'requires `heading`')
  if (heading === undefined && occurrence !== undefined) throw invalidArgument('occurrence', 'requires `heading`')
  if (fromColumn !== undefined && fromLine === undefined) throw invalidArgument('fromColumn', 'requires `fromLine`')
}

function sectionNotFound(message: string): AppError {
  const detail = `The heading ${message}. List the headings with view "outline".`
  return inputError('not_found', detail, '/heading', message)
}
