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
  updatedAt: time('When anything of it changed last.'),
  expiresAt: orNull(Type.Integer(), 'When it will be forgotten, as above; null while it is in progress.'),
  phase: Type.Enum([...uploadPhases], {
    description:
      '`receiving` while bytes are missing; `reading` when all have arrived; `writing` ' +
      'while the dataset is made durable; then `done` or `failed`, or `expired` if the client did not come back.',
  }),
  idempotencyKey: orNull(Type.String(), 'As sent, without quotes; null if there was none.'),
  fileName: orNull(Type.String(), 'As sent; null until it has arrived.'),
  bytes: Type.Object(
    {
      received: count('Bytes that have arrived.'),
      expected: orNull(Type.Integer({ minimum: 0 }), 'All of them; null if the client did not say.'),
    },
    { $id: 'UploadBytes', description: 'Of what is sent: the body of a form, or the file itself.' },
  ),
  records: orNull(records, 'The records that have been read so far; null before the first.'),
  datasetId: orNull(Type.String(), 'The dataset, once it is done.'),
  outcome: orNull(Type.Enum([...uploadOutcomes]), 'What it came to, once it is done: as in the receipt.'),
  error: orNull(errorRecord, 'Why it failed; its `path` is that of the upload.'),
  links: uploadLinks,
}

/** How far an upload is. */
export const uploadStatusAnswer = Type.Object(
  {
    ...uploadLine,
    encoding: orNull(encoding, 'Null until the first megabyte has been read.'),
    dialect: orNull(dialect, 'The same.'),
    columns: orNull(
      Type.Array(Type.Object({ name: columnName, type: orNull(columnType, 'Null until it has been guessed.') })),
      'Columns so far: later values may change a type until the upload is done.',
    ),
  },
  { $id: 'UploadStatus', description: 'How far an upload is.' },
)

export const uploadsAnswer = Type.Object(
  {
    uploads: Type.Array(Type.Object(uploadLine, { $id: 'UploadLine', description: 'Summary of an upload.' }), {
      description: 'Newest first.',
    }),
    after: orNull(Type.String(), 'Give this as `after` to get the next page; null on the last page.'),
  },
  { $id: 'UploadPage', description: 'A page of the list.' },
)
