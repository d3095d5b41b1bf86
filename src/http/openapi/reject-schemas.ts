// Reject schemas: rejected records and their corrections, as TypeBox.
import Type from 'typebox'
import { rejectReasons } from '../../core/receipt.ts'
import { count, datasetId, oneOf, orNull, sha256 } from './shared-schemas.ts'

export const reject = Type.Object(
  {
    record: Type.Integer({ minimum: 1, description: 'Its number among all records of the file, from 1.' }),
    line: Type.Integer({ minimum: 1, description: 'The line on which it begins, from 1.' }),
    byteOffset: count('Offset of its first byte in the original.'),
    byteLength: count('Its length in bytes, without the line end.'),
    column: orNull(Type.Integer({ minimum: 1 }), 'The field that caused it, from 1.'),
    reason: oneOf(rejectReasons, 'Why it was rejected.'),
    message: Type.String({ description: 'The same, for people.' }),
    text: orNull(Type.String(), 'The record; null if its bytes are not valid text.'),
    base64: Type.Optional(Type.String({ description: 'Its bytes, if they are not valid text.' })),
    cut: Type.Optional(Type.Literal(true, { description: 'Only the beginning of the record is shown.' })),
  },
  { $id: 'Reject', description: 'A record that could not be read, with its position and the reason.' },
)

export const reasonCounts = Type.Object(
  {},
  {
    $id: 'RejectReasons',
    additionalProperties: Type.Integer({ minimum: 1 }),
    description: 'How many records were rejected for each `reason` of a reject. Reasons without any are absent.',
  },
)

const correction = Type.Object(
  {
    ...reject.properties,
    correctedText: Type.String({ description: 'The text that is read in its place.' }),
    isCorrectedTextCut: Type.Optional(Type.Literal(true, { description: 'Only the beginning of that text is shown.' })),
  },
  { $id: 'Correction', description: 'A reject of the uncorrected dataset, and the text that is read in its place.' },
)

/** The corrections of a dataset. */
export const corrections = Type.Object(
  {
    of: datasetId,
    count: count('How many records were corrected.'),
    bytes: count('Size of the list of all corrections, in bytes.'),
    sha256,
    first: Type.Array(correction, { maxItems: 20, description: 'The first of them.' }),
  },
  {
    $id: 'Corrections',
    description: 'Records that are read as other texts than those in the original. Absent where there are none.',
  },
)

/** The outcome of submitted corrections. */
export const corrected = Type.Object(
  {
    sent: count('Records that were sent.'),
    unchanged: count('Of those, records without a text, or with the text they have.'),
    refused: count('Texts that cannot be read as one record: these records are rejects as before.'),
    firstRefused: Type.Array(
      Type.Object({
        record: Type.Integer({ minimum: 1, description: 'The number of the record.' }),
        column: orNull(Type.Integer({ minimum: 1 }), 'The field that caused it, from 1.'),
        reason: oneOf([...rejectReasons, 'several_records', 'no_record'], 'Why the text was refused.'),
        message: Type.String({ description: 'The same, for people. Offsets are in the text.' }),
      }),
      { maxItems: 20, description: 'The first of them.' },
    ),
  },
  { description: 'What became of the corrections that were sent; in the answer to these only.' },
)
