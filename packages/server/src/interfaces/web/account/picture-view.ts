import type { Actor } from '../../../access/caller.ts'
import { MAX_PICTURE_BYTES } from '../../../content/files/pictures/pictures.ts'
import { buttonForm } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { formatBytes, type Html, html, t } from '../html.ts'
import { toInitials } from '../initials.ts'
import { ACCOUNT_PICTURE, pictureUrl, REMOVE_PICTURE, withQuery } from '../urls.ts'

/** The caller's picture. */
export interface PictureView {
  readonly person: Pick<Actor, 'id' | 'name'>
  /** Changes with the picture, so that the browser shows the new one; undefined: there is none. */
  readonly version: string | undefined
}

/** The form that sets the own picture. */
export function pictureForm({ person, version }: PictureView): Html {
  const { id, name } = person
  const image = html`<img src="${withQuery(pictureUrl(id), { v: version })}" alt="" width="96" height="96">`
  return html`<div class="own-picture">
<span class="avatar large" aria-hidden="true" data-initials="${toInitials(name)}">${
    version !== undefined && image
  }</span>
<form class="form" method="post" enctype="multipart/form-data" action="${ACCOUNT_PICTURE}">
${CSRF_FIELD}
<div class="field"><label for="picture">${t('Picture')}</label>
<input type="file" id="picture" name="picture" accept="image/*" required aria-describedby="picture-help">
<p class="help" id="picture-help">
${t('A square is cut out of the middle. At most {size}.', { size: formatBytes(MAX_PICTURE_BYTES) })}</p></div>
<div class="buttons">
<button type="submit" class="button">${version === undefined ? t('Upload') : t('Replace')}</button></div>
</form></div>
${version !== undefined && buttonForm(REMOVE_PICTURE, t('Remove the picture'))}`
}
