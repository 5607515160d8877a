import { AppError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import { fileUrl } from '@recto/contract/page-url.ts'
import { formatEtag, parseIfMatch } from '@recto/lib/network/header-values.ts'
import { create } from 'content-disposition'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { toTag } from '../../../access/overlay.ts'
import { checkReadConditions, isNotModified } from '../../../access/preconditions.ts'
import { watchResponse } from '../../../identity/rights/watched-answers.ts'
import { accepts } from '../../../platform/http/negotiate.ts'
import { findVariant, type LocatedVariant } from '../find.ts'
import { FILE_POLICY } from '../upload/content-type.ts'
import { keepVariant, type ReadyVariant } from './ready-variants.ts'
import { noVariant } from './variant-errors.ts'
import { type VariantSpec, type VariantWidth, variantFileName, variantName, whyNotScalable } from './variants.ts'

interface SentVariant extends PageAddress {
  readonly version?: number
  readonly download?: boolean
  readonly width: VariantWidth
}

/** Sends a smaller variant of an image: the stored one, in one round trip, or a new one. */
export async function sendVariant(
  request: FastifyRequest,
  reply: FastifyReply,
  input: SentVariant,
): Promise<FastifyReply> {
  const spec = { width: input.width, format: accepts(request, 'image/avif') ? 'avif' : 'webp' } as const
  const name = variantName(spec)
  const knownVersions = versionsIn(request.headers['if-none-match'])
  const { readyVariants } = request.ctx.files
  const owner = input.space === 'personal' ? request.ctx.actor.id : input.space
  const key = `${owner}/${input.path}/${input.version ?? ''}/${name}`
  const cachedVariant = readyVariants.get(key)
  const file = await findVariant(request.ctx, input, {
    name,
    known: knownVersions,
    held: cachedVariant?.digest ?? null,
  })
  const { version, draft, updated_at: updatedAt } = file
  const sentVersion = { version, draft, updatedAt, etag: formatEtag(toTag(file), name) }
  checkReadConditions(sentVersion, request.headers, 'file')
  reply.headers({ Vary: 'Accept', 'Cache-Control': 'private, no-cache' })
  const { content_type: contentType, width, height } = file
  const reason = whyNotScalable({ contentType, width, height })
  if (reason !== undefined) throw new AppError('no_variant', reason)
  if (file.variant_failure !== null) throw noVariant(file.variant_failure)
  const replyWithHeaders = reply.headers({ ETag: sentVersion.etag, 'Last-Modified': updatedAt.toUTCString() })
  if (isNotModified(sentVersion, request.headers)) return replyWithHeaders.code(304).send()
  const current = cachedVariant?.digest.equals(file.digest) ? cachedVariant : undefined
  const variant = current ?? (await readyVariant(request, file, spec))
  if (!variant) return sendToImage(request, reply, file, input.version)
  if (!current) keepVariant(readyVariants, key, variant)
  return send(request, reply, { file, variant, download: input.download ?? false })
}

function versionsIn(header: string | undefined): readonly number[] {
  const versions = header === undefined ? [] : parseIfMatch(header)
  return versions === '*' ? [] : versions.filter((version) => typeof version === 'number')
}

/** The variant that was read with the file, or a new one; undefined: it was not ready in time. */
async function readyVariant(
  { ctx }: FastifyRequest,
  file: LocatedVariant,
  spec: VariantSpec,
): Promise<ReadyVariant | undefined> {
  const { digest, variant_data: data, variant_type: contentType } = file
  if (data && contentType !== null) return { digest, data, contentType }
  const newVariant = await ctx.files.variants.make(file, spec)
  if (!newVariant) return undefined
  if (!newVariant.data) throw noVariant(newVariant.failure)
  if (newVariant.content_type === null) throw new Error('a variant that is made has no type')
  return { digest, data: newVariant.data, contentType: newVariant.content_type }
}

/** The image itself, until its variant is ready. */
function sendToImage(
  request: FastifyRequest,
  reply: FastifyReply,
  file: LocatedVariant,
  version: number | undefined,
): FastifyReply {
  request.log.debug({ path: file.path }, 'a variant of an image is not ready yet')
  const number = request.ctx.overlay?.number
  const query = version !== undefined ? `?version=${version}` : number === undefined ? '' : `?changeRequest=${number}`
  reply.removeHeader('ETag').removeHeader('Last-Modified')
  return reply
    .headers({ Location: fileUrl(file.space_slug, file.path) + query, 'Cache-Control': 'no-store' })
    .code(307)
    .send()
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  response: { readonly file: LocatedVariant; readonly variant: ReadyVariant; readonly download: boolean },
): FastifyReply {
  const {
    file,
    variant: { data, contentType },
    download,
  } = response
  watchResponse(request, file.space_id, [file.path])
  const name = variantFileName(file.path.slice(file.path.lastIndexOf('/') + 1), contentType)
  return reply
    .headers({
      'Content-Disposition': create(name, { type: download ? 'attachment' : 'inline' }),
      'Content-Security-Policy': FILE_POLICY,
    })
    .type(contentType)
    .send(data)
}
