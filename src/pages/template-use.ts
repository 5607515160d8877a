import type { PageAddress } from '../http/page-address.ts'
import type { PagesCtx } from './ctx.ts'

/** The input of a `PUT` with `template`, with the address of the new page. */
export interface TemplateUse extends PageAddress {
  readonly template: string
  readonly variables: Readonly<Record<string, unknown>> | undefined
  readonly metadata: Readonly<Record<string, unknown>> | undefined
}

/** The content of the new page. */
export interface FilledTemplate {
  readonly body: string
  readonly metadata: Readonly<Record<string, unknown>>
}

/** Templates are a layer above pages, so that pages receive the function as a dependency. */
export type FillTemplate = (ctx: PagesCtx, use: TemplateUse) => Promise<FilledTemplate>
