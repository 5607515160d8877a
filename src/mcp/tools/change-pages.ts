import { Type } from 'typebox'
import type { Preconditions } from '../../access/preconditions.ts'
import { contentOf } from '../../pages/content.ts'
import { editPage } from '../../pages/edit.ts'
import { editPageSchema } from '../../pages/edit-routes.ts'
import type { Page } from '../../pages/page.ts'
import { noteSchema, putPageSchema } from '../../pages/schema.ts'
import { writePage } from '../../pages/write.ts'
import { fillTemplate } from '../../templates/fill.ts'
import { argumentsOf, pageAddressOf, pageArguments, versionArgument } from '../arguments.ts'
import { defineTool } from '../tool.ts'

export const writePageTool = defineTool({
  name: 'context_write_page',
  title: 'Write a page',
  description:
    'Creates a page, or replaces the Markdown of an existing page with `body`. For an existing page, `version` must be the one that you read: if the page has changed since, the call fails with `precondition_failed` and nothing is written. Omit `version` to create a page. Front matter may set the `title`. To change part of a page, use context_edit_page. A new page can be created from a `template` with `variables` (context_list_templates), and can have `metadata`. Link to other pages as `./sibling` or `/pages/<space>/<path>`.',
  scope: 'write',
  hints: { destructive: true, idempotent: false },
  input: argumentsOf({
    ...pageArguments,
    ...putPageSchema.properties,
    version: Type.Optional({
      ...versionArgument,
      description: 'The version that you read. Required if the page exists.',
    }),
  }),
  async run(ctx, { space, path, version, ...input }) {
    const address = pageAddressOf({ space, path })
    const content = await contentOf(ctx, address, input, fillTemplate)
    const preconditions = conditionsOf(version)
    const { page, created } = await writePage(ctx, {
      ...address,
      ...content,
      note: input.note,
      preconditions,
    })
    return {
      data: { ...toWritten(page), created },
      text: [`${created ? 'Created' : 'Updated'} ${page.space}/${page.path}. Version: ${page.version}.`],
    }
  },
})

export const editPageTool = defineTool({
  name: 'context_edit_page',
  title: 'Edit parts of a page',
  description:
    'Changes parts of a page and leaves the rest unchanged, character by character. `edits` are applied in order, all or none, as one revision. Each is an object with `op`: {op:"replace", find, text, expectedCount?} replaces exact text (which must occur expectedCount times; default 1); {op:"append", text} and {op:"prepend", text} add at the end or the beginning; {op:"replaceSection", heading, text} replaces the content under a heading, and keeps the heading; {op:"insertBefore"|"insertAfter", heading, text} adds before or after a heading line; `level` and `occurrence` select one of several equal headings. `version` is the one that you read: if the page has changed since, the call fails with `precondition_failed`.',
  scope: 'write',
  hints: { destructive: true, idempotent: false },
  input: argumentsOf({
    ...pageArguments,
    version: Type.Optional({ ...versionArgument, description: 'The version that you read. Required.' }),
    edits: editPageSchema.properties.edits,
    note: Type.Optional(noteSchema),
  }),
  async run(ctx, { space, path, version, edits, note }) {
    const preconditions = conditionsOf(version)
    const { page, changes } = await editPage(ctx, {
      ...pageAddressOf({ space, path }),
      edits,
      note,
      preconditions,
    })
    const shown = changes.slice(0, MAX_CHANGES)
    const lines = shown.map(
      ({ edit, fromLine, toLine }) => `Edit ${edit + 1} changed lines ${fromLine} to ${toLine}.`,
    )
    const rest = changes.length - shown.length
    return {
      data: { ...toWritten(page), changes: shown },
      text: [
        [
          `Updated ${page.space}/${page.path}. Version: ${page.version}.`,
          ...lines,
          ...(rest > 0 ? [`${rest} more changes are not listed.`] : []),
        ].join('\n'),
      ],
    }
  },
})

/** Changes in a result: one edit may replace thousands of occurrences. */
const MAX_CHANGES = 200

function conditionsOf(version: number | undefined): Preconditions {
  return { ifMatch: version === undefined ? undefined : [version], ifNoneMatch: undefined, required: true }
}

function toWritten({ space, path, url, title, version, updatedAt }: Page) {
  return { space, path, url, title, version, updatedAt }
}
