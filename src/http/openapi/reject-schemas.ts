// Reject schemas: rejected records and their corrections, as TypeBox.
import Type from 'typebox'
import { rejectReasons } from '../../core/receipt.ts'
import { count, datasetId, oneOf, orNull, sha256 } from './shared-schemas.ts'

export const reject = Type.Object(
  {
    record: Type.Integer({ minimum: 1, description: 'Its number among all records of the file, from 1.' }),
    line: Type.Integer({ minimum: 1, description: 'The line on which it starts, from 1.' }),
    byteOffset: count('Offset of its first byte in the original.'),
    byteLength: count('Its length in bytes, without the line end.'),
    column: orNull(Type.Integer({ minimum: 1 }), 'The field that caused it, from 1.'),
    reason: oneOf(rejectReasons, 'Why it was rejected.'),
    message: Type.String({ description: 'The reason, for humans.' }),
    text: orNull(Type.String(), 'The record; null if its bytes are not valid text.'),
    base64: Type.Optional(Type.String({ description: 'Its bytes, if they are not valid text.' })),
    cut: Type.Optional(Type.Literal(true, { description: 'Only the beginning of the record is shown.' })),
  },
  { $id: 'Reject', description: 'A record left out of the dataset, with its position and the reason.' },
)

export const reasonCounts = Type.Object(
  {},
  {
    $id: 'RejectReasons',
    additionalProperties: Type.Integer({ minimum: 1 }),
    description: 'Number of rejected records for each `reason`. Reasons without records are absent.',
  },
)

const correction = Type.Object(
  {
    ...reject.properties,
    correctedText: Type.String({ description: 'The text that is read instead.' }),
    isCorrectedTextCut: Type.Optional(Type.Literal(true, { description: 'Only the beginning of that text is shown.' })),
  },
  { $id: 'Correction', description: 'A reject of the uncorrected dataset, and the text that is read instead.' },
)

/** The corrections of a dataset. */
export const corrections = Type.Object(
  {
    of: datasetId,
    count: count('Number of corrected records.'),
    bytes: count('Size of the list of all corrections, in bytes.'),
    sha256,
    first: Type.Array(correction, { maxItems: 20, description: 'The first corrections.' }),
  },
  {
    $id: 'Corrections',
    description: 'Records for which another text than that in the original is read. Absent if there are none.',
  },
)

/** The outcome of submitted corrections. */
export const corrected = Type.Object(
  {
    sent: count('Records that were sent.'),
    unchanged: count('Records among them without a text, or with the text they already have.'),
    refused: count('Texts that cannot be read as one record; these records stay rejects.'),
    firstRefused: Type.Array(
      Type.Object({
        record: Type.Integer({ minimum: 1, description: 'The number of the record.' }),
        column: orNull(Type.Integer({ minimum: 1 }), 'The field that caused it, from 1.'),
        reason: oneOf([...rejectReasons, 'several_records', 'no_record'], 'Why the text was refused.'),
        message: Type.String({ description: 'The reason, for humans. Offsets are in the text.' }),
      }),
      { maxItems: 20, description: 'The first refused texts.' },
    ),
  },
  { description: 'The outcome of submitted corrections; only in the response to them.' },
)
