import type { PageAddress } from '../http/page-address.ts'
import type { PagesCtx } from './ctx.ts'

/** What a `PUT` with `template` asks for, at the address of the page to be. */
export interface TemplateUse extends PageAddress {
  readonly template: string
  readonly variables: Readonly<Record<string, unknown>> | undefined
  readonly metadata: Readonly<Record<string, unknown>> | undefined
}

/** What the page is made of. */
export interface FilledTemplate {
  readonly body: string
  readonly metadata: Readonly<Record<string, unknown>>
}

/** Templates stand a floor above pages, which therefore are given the way to use them. */
export type FillTemplate = (ctx: PagesCtx, use: TemplateUse) => Promise<FilledTemplate>
