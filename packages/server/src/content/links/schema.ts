import { type Static, Type } from 'typebox'
import { timeSchema } from '../../access/schema.ts'
import { enumSchema, nullable } from '../../platform/http/schemas.ts'

const address = {
  space: Type.String({ description: 'Slug of the space; `personal` is the caller’s own.' }),
  path: Type.String(),
}
const line = Type.Integer({ description: 'Line of the body, counted from 1.' })
const text = Type.String({ description: 'What the link shows.' })

const via = nullable(
  Type.Object(address),
  'The address as it is written, where it redirects to the page; null where the link is direct.',
)

const outboundSchema = Type.Object({
  space: Type.String({ description: 'The slug as written; for a relative link that of the page.' }),
  path: Type.String({ description: 'The path as it is written.' }),
  text,
  line,
  exists: nullable(Type.Boolean(), 'Whether the page exists; null if you may not know.'),
  title: nullable(Type.String(), 'Title of the page, where it exists and you can read it.'),
  redirected: Type.Boolean({
    description: 'Whether the address redirects: the page has moved, or its space has another slug now.',
  }),
  url: Type.String({ description: 'The canonical URL of the page; the written one if you may not know it.' }),
})
export type OutboundLink = Static<typeof outboundSchema>

const backlinkSchema = Type.Object({ ...address, title: Type.String(), text, updatedAt: timeSchema, via })
export type Backlink = Static<typeof backlinkSchema>

const referredFileSchema = Type.Object({
  space: Type.String({ description: 'The slug as written; for a relative target that of the page.' }),
  path: Type.String({ description: 'The path as it is written.' }),
  text: Type.String({ description: 'The text of the link, or the alternative text of the image.' }),
  line,
  exists: nullable(Type.Boolean(), 'Whether the file exists; null if you may not know.'),
  url: Type.String({ description: 'The canonical URL of the file; the written one if you may not know it.' }),
})
export type ReferredFile = Static<typeof referredFileSchema>

export const pageLinksSchema = Type.Object({
  ...address,
  outbound: Type.Array(outboundSchema, { description: 'The links of the page, in the order of its body.' }),
  files: Type.Array(referredFileSchema, {
    description: 'The files that its images and links refer to, each once, in the order of its body.',
  }),
  backlinks: Type.Array(backlinkSchema, { description: 'Pages that link here and that you can read.' }),
  nextCursor: nullable(Type.String(), 'Of the backlinks.'),
})
export type PageLinksAnswer = Static<typeof pageLinksSchema>

const nodeSchema = Type.Object({
  ...address,
  title: nullable(Type.String(), 'Title of the page, where it exists and you can read it.'),
  exists: nullable(Type.Boolean(), 'Whether the page exists; null if you may not know.'),
  distance: Type.Integer({ description: 'The number of links between this page and the requested one.' }),
})
const edgeSchema = Type.Object({
  from: Type.Integer({ description: 'Place in `nodes` of the page that links.' }),
  to: Type.Integer({ description: 'Place in `nodes` of the target.' }),
  via,
})
export const neighbourhoodSchema = Type.Object({
  ...address,
  depth: Type.Integer(),
  nodes: Type.Array(nodeSchema, { description: 'The requested page first, then by distance.' }),
  edges: Type.Array(edgeSchema),
  truncated: Type.Boolean({ description: 'Whether the neighbourhood has more than is shown.' }),
})
export type Neighbourhood = Static<typeof neighbourhoodSchema>

export const brokenLinkSchema = Type.Object({
  kind: enumSchema(
    ['page', 'file'],
    'What is missing. Images refer to files, and so do relative links with the suffix of a known file type ' +
      'such as `.pdf`.',
  ),
  reason: enumSchema(
    ['missing', 'no_space_or_access'],
    'Whether it is missing, or in a space that does not exist or that you cannot see: no answer tells which of both.',
  ),
  source: Type.Object({ path: Type.String(), title: Type.String() }),
  target: Type.Object(address),
  text,
  line,
})
export type BrokenLink = Static<typeof brokenLinkSchema>

export const orphanSchema = Type.Object({ path: Type.String(), title: Type.String(), updatedAt: timeSchema })
export type Orphan = Static<typeof orphanSchema>

export const wantedSchema = Type.Object({
  ...address,
  pageCount: Type.Integer({ description: 'Pages that link there and that you can read.' }),
})
export type WantedPage = Static<typeof wantedSchema>

export const rebuildSchema = Type.Object({
  id: Type.String({ format: 'uuid' }),
  status: enumSchema(['running', 'done']),
  space: nullable(Type.String(), 'The space that is indexed; null: all.'),
  pagesScanned: Type.Integer({
    description: 'Pages of personal spaces are scanned as well, and counted only in a rebuild of that space.',
  }),
  linksIndexed: Type.Integer({ description: 'Links of the pages that were scanned, equal ones counted once.' }),
  createdAt: timeSchema,
  finishedAt: nullable(timeSchema, 'When it was done.'),
})
export type Rebuild = Static<typeof rebuildSchema>
