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
      'The file was deleted. An editor of the space can restore it with `POST .../restore` until it is deleted ' +
      'permanently. `PUT` creates a new file here.',
    screenAdvice: 'An editor of the space can restore it from the trash of the space.',
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
      'A file has at most 100 MiB (`SVC_MAX_FILE_BYTES` of the deployment; `maxBytes` has the limit). ' +
      'Nothing was changed.',
    screenAdvice: 'Nothing was saved. Go back, and choose a smaller file.',
  },
  quota_exceeded: {
    status: 413,
    title: 'The quota of the space is exceeded',
    explanation:
      'The files of a space, old versions and the trash included, ' +
      'take at most `quotaBytes` (`SVC_SPACE_QUOTA_BYTES` of the deployment). Equal files count once. ' +
      'Delete files permanently to free space.',
    screenAdvice:
      'Nothing was saved. Delete files of the space permanently to make room, or ask an admin of the space.',
  },
  digest_mismatch: {
    status: 400,
    title: 'Digest mismatch',
    explanation:
      'The received bytes do not have the digest in `Repr-Digest` or `Content-Digest`: ' +
      'they were damaged in transit, or the digest belongs to another file. Nothing was changed.',
  },
  upload_expired: {
    status: 503,
    effect: 'item',
    title: 'The upload was interrupted',
    explanation:
      'The database restarted during the upload, or no bytes arrived for ten minutes: ' +
      'the received part was discarded. Upload the file again after `Retry-After` seconds.',
  },
  files_busy: {
    status: 503,
    effect: 'item',
    title: 'Too many uploads at once',
    explanation:
      'Too many files are being uploaded at the same time. Nothing was changed. Retry after `Retry-After` seconds.',
  },
  storage_unavailable: {
    status: 503,
    title: 'The file storage is not available',
    explanation:
      'The bucket with the bytes of files did not respond in time. Nothing was changed. ' +
      'Retry after `Retry-After` seconds.',
  },
  no_variant: {
    status: 422,
    title: 'No smaller variant of the file',
    explanation:
      'Variants (`width`) exist for raster images (JPEG, PNG, WebP, GIF, AVIF, TIFF) of at most 100 million pixels ' +
      'that can be decoded within limits of memory and time. Read the file without `width`.',
  },
  range_not_satisfiable: {
    status: 416,
    title: 'The range is not satisfiable',
    explanation: 'No byte of the file is in the range. `Content-Range` has its size.',
  },
} as const
