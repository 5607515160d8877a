/** The error codes of files, as part of the table in `error-table.ts`. */
export const FILE_ERRORS = {
  file_moved: {
    status: 308,
    title: 'The file has moved',
    explanation: 'The file has moved to the URL in `Location` and `movedTo`. The old URL redirects.',
  },
  file_deleted: {
    status: 410,
    title: 'The file is in the trash',
    explanation:
      'The file was deleted. An editor of the space can restore it with `POST .../restore` until it is deleted permanently. `PUT` creates a new file here.',
  },
  file_exists: {
    status: 409,
    title: 'File already exists',
    explanation:
      'A file cannot be uploaded by a form, moved or restored to a path that another file has. Nothing was changed.',
  },
  file_too_large: {
    status: 413,
    title: 'The file is too large',
    explanation:
      'A file has at most 100 MiB (`SVC_MAX_FILE_BYTES` of the deployment; `maxBytes` has the limit). Nothing was changed.',
  },
  quota_exceeded: {
    status: 413,
    title: 'The quota of the space is exceeded',
    explanation:
      'The files of a space, old versions and the trash included, take at most `quotaBytes` (`SVC_SPACE_QUOTA_BYTES` of the deployment). Equal files count once. Delete files permanently to make room.',
  },
  digest_mismatch: {
    status: 400,
    title: 'The bytes do not have the digest that was sent',
    explanation:
      'The bytes that arrived do not have the SHA-256 of `Repr-Digest` or `Content-Digest`: they were damaged on the way, or the digest is that of another file. Nothing was changed.',
  },
  upload_expired: {
    status: 408,
    title: 'The upload rested for too long',
    explanation: 'No bytes arrived for ten minutes, and what had arrived was discarded. Send the file again.',
  },
  files_busy: {
    status: 503,
    title: 'Too many uploads at once',
    explanation:
      'So many files are being uploaded that this one was not taken. Nothing was changed. Retry after `Retry-After` seconds.',
  },
  storage_unavailable: {
    status: 503,
    title: 'The store of files is not available',
    explanation:
      'The bucket that has the bytes of files did not answer in time. Nothing was changed. Retry after `Retry-After` seconds.',
  },
  no_variant: {
    status: 422,
    title: 'There is no smaller variant of the file',
    explanation:
      'Variants (`width`) are made of raster images (JPEG, PNG, WebP, GIF, AVIF, TIFF) of at most 100 million pixels that can be decoded within limits of memory and time. Read the file without `width`.',
  },
  range_not_satisfiable: {
    status: 416,
    title: 'The range is not satisfiable',
    explanation: 'No byte of the file is in the range. `Content-Range` has its size.',
  },
} as const
