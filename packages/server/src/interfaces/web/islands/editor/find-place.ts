import { newPagePath } from '@recto/lib/text/new-page-path.ts'
import { previewUrl } from '../../urls.ts'
import type { PagePlace } from './uploads.ts'

/** Where the service renders the text, as that of the page. */
export function readPreviewUrl(form: HTMLFormElement): string {
  const { preview = '', space = '' } = form.dataset
  const place = form.dataset.page === undefined ? findPlace(form) : undefined
  return place ? previewUrl(space, place.path) : preview
}

/**
 * The page that the form is about. That of a new one follows from its path or title; undefined while it has neither.
 */
export function findPlace({ dataset, elements }: HTMLFormElement): PagePlace | undefined {
  const typedAs = (name: string) => {
    const field = elements.namedItem(name)
    return field instanceof HTMLInputElement ? field.value : ''
  }
  const typedPath = () => newPagePath({ path: typedAs('path'), parent: typedAs('parent'), title: typedAs('title') })
  const path = dataset.path ?? typedPath()
  return path === undefined ? undefined : { space: dataset.space ?? '', path }
}
