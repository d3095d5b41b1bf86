// Store options: where datasets are stored if not in a directory. Rows as in options.ts.
import { bucketOrNothing, byteCount, httpUrlOrNothing, textOrNothing, yesOrNo } from './value-parsers.ts'

export const storeOptions = {
  storeUrl: {
    flag: '--store',
    fallback: '',
    fallbackShown: 'the directory of --data',
    ...bucketOrNothing(),
    help: 'Bucket that stores the datasets, for one process or many; --data is then a directory for this process only.',
  },
  s3Endpoint: {
    flag: '--s3-endpoint',
    fallback: '',
    fallbackShown: 'AWS',
    ...httpUrlOrNothing(),
    help: 'Server of the bucket. Credentials are those that the AWS SDK finds, such as AWS_ACCESS_KEY_ID.',
  },
  s3Region: {
    flag: '--s3-region',
    fallback: '',
    fallbackShown: 'as the AWS SDK finds it; us-east-1 with --s3-endpoint',
    ...textOrNothing('a region'),
    help: 'Region of the bucket.',
  },
  s3PathStyle: {
    flag: '--s3-path-style',
    fallback: 'no',
    ...yesOrNo(),
    help: 'Name the bucket in the path instead of the host name, as most servers other than AWS require.',
  },
  cacheBytesMax: {
    flag: '--cache-size-max',
    fallback: '10GB',
    ...byteCount(0, Number.MAX_SAFE_INTEGER),
    help: 'Maximum total size of local copies of stored files, with --store; the least recently used are removed first.',
  },
} as const
