import { type AppError, inputError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import { parseInitial } from '../metadata/parse-patch.ts'
import type { Operation } from '../metadata/patch.ts'
import { checkedBody } from './body.ts'
import type { PagesCtx } from './ctx.ts'
import type { PutPage } from './schema.ts'
import { fillTemplate } from './templates/fill.ts'

/** The body of a template, or the body of the request: one of the two. */
export async function readContent(
  ctx: PagesCtx,
  address: PageAddress,
  input: PutPage,
): Promise<{ readonly body: Buffer; readonly metadata?: readonly Operation[] }> {
  const { body, template, variables, metadata } = input
  if (template === undefined) {
    if (body === undefined) throw conflictError('/body', 'must be there where no template is named')
    if (variables !== undefined) throw conflictError('/variables', 'must be left out where no template is named')
    return {
      body: checkedBody(body, ctx.config.maxBodyBytes),
      ...(metadata && { metadata: parseInitial(metadata, '/metadata') }),
    }
  }
  if (body !== undefined) throw conflictError('/body', 'must be left out where a template is named')
  const filledTemplate = await fillTemplate(ctx, { ...address, template, variables, metadata })
  return {
    body: checkedBody(filledTemplate.body, ctx.config.maxBodyBytes),
    metadata: parseInitial(filledTemplate.metadata, '/metadata'),
  }
}

function conflictError(path: string, message: string): AppError {
  const detail = 'A page is made of a `body`, or of a `template` with its `variables`.'
  return inputError('invalid_request', detail, path, message)
}
