/** The types of the functions of operations, from the OpenAPI document. */
import type { operations } from '../openapi.ts'
import type { List, Listing } from './paging.ts'

type Id = keyof operations
type Json<T> = T extends { readonly content: { readonly 'application/json': infer Shape } } ? Shape : never
type Parameters<O extends Id> = operations[O]['parameters']

/** The optional query parameters of an operation, except for the cursor. */
export type Query<O extends Id> = OptionalMembers<Omit<NonNullable<Parameters<O>['query']>, 'cursor'>>
type OptionalMembers<T> = {
  readonly [K in keyof T as Partial<Pick<T, K>> extends Pick<T, K> ? K : never]?: T[K] | undefined
}

export type PathValue<O extends Id, Name extends keyof Parameters<O>['path']> = Parameters<O>['path'][Name]
export type Body<O extends Id> = Json<NonNullable<operations[O]['requestBody']>>
export type Result<O extends Id, Status extends keyof operations[O]['responses']> = Json<
  operations[O]['responses'][Status]
>
/** A list with the items and the further members of the response. */
export type ListOf<O extends Id> = operations[O] extends { readonly responses: { readonly 200: infer Response } }
  ? ToListing<Json<Response>>
  : never
type ToListing<Page> = Page extends List<unknown> ? Listing<Page['items'][number], Page> : never
