/** A sentence about the redirect that a restored page or file has ended; empty if there was none. */
export function redirectEndedText({
  redirectEnded,
}: {
  readonly redirectEnded?: { readonly space: string; readonly path: string } | undefined
}): string {
  return redirectEnded ? ` Its URL no longer redirects to ${redirectEnded.space}/${redirectEnded.path}.` : ''
}
