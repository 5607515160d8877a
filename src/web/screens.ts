import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { rankOf } from '../access/caller.ts'
import type { Ctx } from '../access/ctx.ts'
import { type PageAccess, requirePage } from '../access/page.ts'
import { type PageAddress, parsePagePath, parseSlug } from '../http/page-address.ts'

/** The parameters of a screen of a page, `/<screen>/:space/*`: the router decodes the rest once. */
export const screenParams = Type.Object({ space: Type.String(), '*': Type.String() })

/** The page that a screen is of; nothing is cut from the end of its path, for no screen has other forms. */
export function screenAddress(params: { readonly space: string; readonly '*': string }): PageAddress {
  return { space: parseSlug(params.space), path: parsePagePath(params['*']) }
}

/** A page as the frame of its screens shows it. */
export interface ScreenPage extends PageAccess {
  readonly editable: boolean
}

/** The page of a screen, where the caller can read it. */
export async function screenPage(ctx: Ctx, address: PageAddress): Promise<ScreenPage> {
  const page = await requirePage(ctx, address, 'viewer')
  return { ...page, editable: page.rank >= rankOf('editor') }
}

/** Answers with a document that is for one caller, and is to be asked for again. */
export function sendScreen(reply: FastifyReply, document: string, status = 200): FastifyReply {
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .header('Cache-Control', 'private, no-cache')
    .send(document)
}
