import type { Edit } from '@recto/markdown/edits/edits.ts'
import { Type } from 'typebox'
import { readContent } from '../../../content/pages/content.ts'
import { editPage } from '../../../content/pages/edit.ts'
import type { Page } from '../../../content/pages/page.ts'
import { editPageSchema, noteSchema, putPageSchema } from '../../../content/pages/schema.ts'
import { writePage } from '../../../content/pages/write.ts'
import { strictObject } from '../../../platform/http/schemas.ts'
import { resolveAddress } from '../address.ts'
import { guardArgument, pageArguments, versionArgument } from '../arguments.ts'
import { draftArgument, stateText, toPrecondition, toState } from '../change-request.ts'
import { defineTool } from '../tool.ts'

export const writePageTool = defineTool({
  name: 'context_write_page',
  title: 'Write a page',
  description:
    'Creates a page, or replaces the text of one whose `version` you read. From a template: ' +
    '`template` and `variables`.',
  scope: 'write',
  changeRequest: 'propose',
  input: strictObject({
    ...pageArguments,
    ...putPageSchema.properties,
    version: Type.Optional({
      ...versionArgument,
      description: 'The version that you read. Required if the page exists.',
    }),
    draft: draftArgument,
  }),
  async run(ctx, { space, path, version, draft, ...input }) {
    const address = await resolveAddress(ctx, { space, path }, 'write')
    const content = await readContent(ctx, address, input)
    const { page, created } = await writePage(ctx, {
      ...address,
      ...content,
      note: input.note,
      preconditions: await toPrecondition(ctx, address, { version, draft }),
      keepsRedirect: true,
    })
    return {
      data: { ...toWritten(page), created },
      text: [`${created ? 'Created' : 'Updated'} ${page.space}/${page.path}. ${stateText(page)}.`],
    }
  },
})

/** All edits in one form; the operation decides which members it needs. */
const shownEdit = Type.Object({
  op: Type.String({
    enum: ['replace', 'append', 'prepend', 'insertBefore', 'insertAfter', 'appendToSection', 'replaceSection'],
  }),
  text: Type.String(),
  find: Type.Optional(Type.String()),
  expectedCount: Type.Optional(Type.Integer()),
  heading: Type.Optional(Type.String()),
  level: Type.Optional(Type.Integer()),
  occurrence: Type.Optional(Type.Integer()),
})

/** Whether an edit is safe without a version: it locates its place in the current text, and removes no other text. */
function isGuarded({ op }: Edit): boolean {
  return op !== 'replaceSection'
}

export const editPageTool = defineTool({
  name: 'context_edit_page',
  title: 'Edit parts of a page',
  description:
    'Edits parts of a page, all or none. `replace` changes exact text; ' +
    '`insert*`, `appendToSection` and `replaceSection` go by heading. Only `replaceSection` needs `version`.',
  scope: 'write',
  changeRequest: 'propose',
  input: strictObject({
    ...pageArguments,
    version: guardArgument,
    draft: draftArgument,
    edits: editPageSchema.properties.edits,
    note: Type.Optional(noteSchema),
  }),
  shown: strictObject({
    ...pageArguments,
    version: guardArgument,
    draft: draftArgument,
    edits: Type.Array(shownEdit),
    note: Type.Optional(Type.String()),
  }),
  async run(ctx, { space, path, version, draft, edits, note }) {
    const address = await resolveAddress(ctx, { space, path }, 'write')
    const otherwise = edits.every(isGuarded) ? '*' : undefined
    const preconditions = await toPrecondition(ctx, address, { version, draft }, otherwise)
    const { page, changes } = await editPage(ctx, { ...address, edits, note, preconditions })
    const shownChanges = changes.slice(0, MAX_CHANGES)
    const lines = shownChanges.map(
      ({ edit, fromLine, toLine }) => `Edit ${edit + 1} changed lines ${fromLine} to ${toLine}.`,
    )
    const rest = changes.length - shownChanges.length
    return {
      data: { ...toWritten(page), changes: shownChanges },
      text: [
        [
          `Updated ${page.space}/${page.path}. ${stateText(page)}.`,
          ...lines,
          ...(rest > 0 ? [`${rest} more changes are not listed.`] : []),
        ],
      ],
    }
  },
})

/** Changes in a result: one edit may replace thousands of occurrences. */
const MAX_CHANGES = 200

function toWritten({ space, path, url, title, updatedAt, ...page }: Page) {
  return { space, path, url, title, ...toState(page), updatedAt }
}
