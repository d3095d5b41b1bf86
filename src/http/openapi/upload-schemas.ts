// Upload schemas: what the upload routes return, as TypeBox.
import Type from 'typebox'
import { uploadOutcomes } from '../../core/receipt.ts'
import { uploadPhases } from '../../core/upload-status.ts'
import { columnName, columnType, errorRecord, link, records, uploadId } from './response-schemas.ts'
import { count, dialect, encoding, orNull, time } from './shared-schemas.ts'

const uploadLinks = Type.Object(
  {
    self: link('The status.'),
    events: link('The status as server-sent events.'),
    receipt: orNull(Type.String({ format: 'uri-reference' }), 'The receipt of the dataset, once there is one.'),
  },
  { $id: 'UploadLinks', description: 'Related resources, as paths.' },
)

const uploadLine = {
  id: uploadId,
  createdAt: time('When its first byte arrived.'),
  updatedAt: time('When it last changed.'),
  expiresAt: orNull(Type.Integer(), 'When its status is deleted; null while it is in progress.'),
  phase: Type.Enum([...uploadPhases], {
    description:
      '`receiving` while bytes are missing; `reading` when all have arrived; `writing` ' +
      'while the dataset is made durable; then `done` or `failed`, or `expired` if the client did not continue.',
  }),
  idempotencyKey: orNull(Type.String(), 'As sent, without quotes; null if there was none.'),
  fileName: orNull(Type.String(), 'As sent; null until it has arrived.'),
  bytes: Type.Object(
    {
      received: count('Bytes that have arrived.'),
      expected: orNull(Type.Integer({ minimum: 0 }), 'Total; null if the client did not announce it.'),
    },
    { $id: 'UploadBytes', description: 'Bytes of what is sent: a form, or the file itself.' },
  ),
  records: orNull(records, 'The records read so far; null before the first.'),
  datasetId: orNull(Type.String(), 'The dataset, once the upload is done.'),
  outcome: orNull(Type.Enum([...uploadOutcomes]), 'The outcome as in the receipt, once the upload is done.'),
  error: orNull(errorRecord, 'Why the upload failed; `path` is the path of the upload.'),
  links: uploadLinks,
}

/** The progress of an upload. */
export const uploadStatusAnswer = Type.Object(
  {
    ...uploadLine,
    encoding: orNull(encoding, 'Null until the first megabyte has been read.'),
    dialect: orNull(dialect, 'Null until the first megabyte has been read.'),
    columns: orNull(
      Type.Array(Type.Object({ name: columnName, type: orNull(columnType, 'Null until it has been guessed.') })),
      'Columns so far. Later values may change a type until the upload is done.',
    ),
  },
  { $id: 'UploadStatus', description: 'The progress of an upload.' },
)

export const uploadsAnswer = Type.Object(
  {
    uploads: Type.Array(Type.Object(uploadLine, { $id: 'UploadLine', description: 'Summary of an upload.' }), {
      description: 'Newest first.',
    }),
    after: orNull(Type.String(), 'Pass it as `after` to get the next page; null on the last page.'),
  },
  { $id: 'UploadPage', description: 'A page of the list.' },
)
