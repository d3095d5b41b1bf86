// Dataset orders: tests of one dataset that is uploaded, read, scrubbed, repaired, deleted and expires at once, in many orders, by one
// process or by two replicas: whoever reads finds one publish, a sound one never counts as damaged, and nothing
// acknowledged is removed.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isServiceError } from '../../src/core/errors.ts'
import type { Receipt } from '../../src/core/receipt.ts'
import { originalOf, storedFiles } from '../../src/core/stored-files.ts'
import type { PartReader } from '../../src/engine/part-reader.ts'
import { eraseTrashed, removeOwn, trashOf } from '../../src/service/dataset/remove-dataset.ts'
import { VerifiedFiles } from '../../src/service/dataset/verified-files.ts'
import { scrubDataset } from '../../src/service/scrub/scheduled-scrub.ts'
import { arrive } from '../../src/service/upload/arrival.ts'
import { type FinishedDraft, finishedDraft, publishOrRecord } from '../../src/service/upload/publish-or-record.ts'
import { place } from '../../src/store/fs/fs-store.testing.ts'
import type { Store } from '../../src/store/store.ts'
import { fill, publishSample, readAll, sample } from '../../src/store/store-samples.testing.ts'
import { type InterleavingCase, interleave, yielding } from './interleave.ts'
import { scratchDir } from './running-service.ts'
import { seed } from './samples.ts'
import { serviceTools } from './service-tools.ts'
import { SteppedBucket } from './stepped-bucket.ts'
import { assertSwept } from './swept-bucket.ts'

const { id } = sample({ seed: 1 }).receipt
const started = Date.now()

/** The same dataset as another upload makes it; no file is the same, so that any mix of two is found. */
function variant(partCount: number) {
  const { receipt, files } = sample({
    seed: `${partCount} parts`,
    originalBytes: 70_000,
    partCount,
    createdAt: started + partCount,
  })
  return { files, receipt: { ...receipt, id } }
}

/** Where the dataset is stored: by one process in a directory, or by two replicas in a bucket. */
interface Place {
  /** Those that tasks use in turns. */
  readonly stores: readonly Store[]
  /** Writes as if at another time, in epoch milliseconds. */
  at(time: number, work: () => Promise<unknown>): Promise<void>
  damage(file: string): Promise<void>
  /** Lets all stores know what others have done. */
  catchUp(): Promise<void>
  /** Nothing is left but what the dataset needs. */
  assertSwept(): Promise<void>
  /** Decides on the calls of the bucket from now on. */
  decide?(fate: SteppedBucket['fate']): void
}

export async function inDirectory(t: TestContext): Promise<Place> {
  const { dir, open } = await place(t)
  return {
    stores: [await open()],
    // Its age is in the record of the upload.
    at: async (_, work) => void (await work()),
    damage: (file) => writeFile(join(dir, 'datasets', id, file), 'x'),
    catchUp: async () => {},
    assertSwept: async () => {},
  }
}

export async function inBucket(t: TestContext): Promise<Place> {
  const scratch = await scratchDir()
  const bucket = new SteppedBucket(scratch.path)
  t.after(async () => {
    await bucket[Symbol.asyncDispose]()
    await scratch[Symbol.asyncDispose]()
  })
  return {
    stores: [await bucket.open(), await bucket.open()],
    at: async (time, work) => {
      bucket.aheadMs = time - Date.now()
      await work()
      bucket.aheadMs = 0
    },
    damage: async (file) => bucket.damage(id, file),
    catchUp: () => bucket.catchUp(),
    assertSwept: () => assertSwept(bucket.objects),
    decide: (fate) => {
      bucket.fate = fate
    },
  }
}

/** What clients and the service itself do, with the classes of the service over a store that yields at every call. */
export function serviceOver(real: Store, seen: Seen) {
  const store = yielding(real)
  // No test reads rows.
  const { files, existing, catalog, tools } = serviceTools(store, {} as PartReader)

  const readFiles = async (receipt: Receipt) => {
    for (const file of storedFiles(receipt)) {
      const bytes = await readAll(await files.read(receipt, file))
      assert.equal(createHash('sha256').update(bytes).digest('hex'), file.sha256, file.file)
    }
    await files.withLocal(receipt, receipt.parts, async (paths) => {
      for (const path of paths) await writeFile(path, '', { flag: 'a' })
    })
    await using shared = await files.share(receipt, receipt.parts)
    for (const part of receipt.parts) await shared.path(part)
    return receipt
  }
  const upload = async (partCount: number) => {
    const { receipt, files: contents } = variant(partCount)
    await using draft = await store.draft()
    await fill(draft, { receipt, files: contents })
    const found = await existing.find(id)
    const taken: FinishedDraft =
      found.kind === 'whole' ? { kind: 'duplicate', receipt: found.receipt } : finishedDraft(found, receipt, draft)
    const { upload } = await publishOrRecord(tools, arrive(''), taken, 'a.csv')
    seen.outcomes.push(upload.outcome)
  }
  /** Deletes what has this creation time, or whatever is there. */
  const remove = (createdAt?: number) =>
    removeOwn(
      tools,
      id,
      'erase',
      createdAt === undefined ? undefined : (receipt) => receipt.createdAt === createdAt,
    ).catch((error) => {
      if (!isServiceError(error, 'DATASET_NOT_FOUND') && !isServiceError(error, 'PRECONDITION_FAILED')) throw error
    })
  return {
    upload,
    remove,
    /** Puts what is there in the trash, if anything is. */
    trash: () => removeOwn(tools, id, 'trash').then(() => void seen.done.push('trash'), ignoreMissing),
    restore: () =>
      trashOf(tools, '', id, (of) => store.restore(of)).then(() => void seen.done.push('restore'), ignoreMissing),
    erase: () =>
      trashOf(tools, '', id, (of) => eraseTrashed(tools, of)).then(() => void seen.done.push('erase'), ignoreMissing),
    /** Erases what has been in the trash for long. */
    expireTrash: async () => {
      for (const of of [...store.expiredTrash(Date.now() + 1, 0)]) if (await store.erase(of)) seen.done.push('erase')
    },
    /** Deletes while it certainly exists. */
    removeThere: () => removeOwn(tools, id, 'erase'),
    sendAgain: async (partCount: number) => {
      await remove()
      await upload(partCount)
    },
    read: () =>
      catalog.reading(id, readFiles).then(
        () => {},
        (error) => assert.ok(isServiceError(error, 'DATASET_NOT_FOUND'), error),
      ),
    /** Reads while it certainly exists. */
    readThere: async (file: 'original' | 'parts') => {
      await catalog.reading(id, async (receipt) => {
        const wanted = file === 'original' ? [originalOf(receipt)] : receipt.parts
        for (const one of wanted) await readAll(await files.read(receipt, one))
        await files.withLocal(receipt, wanted, async (paths) => {
          await store.savedState('wait')
          for (const path of paths) await writeFile(path, '', { flag: 'r+' })
        })
      })
    },
    scrub: async () => {
      assert.deepEqual(await scrubDataset({ store, pace: async () => {} }, id, new AbortController().signal), [])
    },
    expire: async (uploadedBefore: number) => {
      for (const old of [...store.olderThan(uploadedBefore)]) {
        if (await store.remove({ id: old }, uploadedBefore)) seen.expired += 1
      }
    },
  }
}

interface Seen {
  outcomes: string[]
  expired: number
  done: string[]
}

export type OpenPlace = (t: TestContext) => Promise<Place>

export async function service(t: TestContext, open: OpenPlace) {
  const { stores, ...where } = await open(t)
  const [real] = stores as [Store]
  const seen: Seen = { outcomes: [], expired: 0, done: [] }
  const services = stores.map((one) => serviceOver(one, seen))
  return {
    ...where,
    id,
    store: real,
    services,
    seen,
    /** The tasks of a case, each at another replica than the one before. */
    tasks: (wanted: Readonly<Record<string, (one: ReturnType<typeof serviceOver>) => Promise<void>>>) =>
      Object.fromEntries(
        Object.entries(wanted).map(([name, task], i) => [name, () => task(services[i % services.length]!)]),
      ),
    /** Begins again with this publish; null for none. */
    begin: async (partCount: number | null, createdAt?: number) => {
      await real.remove({ id })
      for (const of of [...real.expiredTrash(Number.POSITIVE_INFINITY, 0)]) await real.erase(of)
      Object.assign(seen, { outcomes: [], done: [], expired: 0 })
      if (partCount === null) return
      const { receipt, files } = variant(partCount)
      const old = { ...receipt, createdAt: createdAt ?? receipt.createdAt }
      await where.at(old.createdAt, () => publishSample(real, { files, receipt: old }))
      await where.catchUp()
    },
  }
}

function ignoreMissing(error: unknown): void {
  if (!isServiceError(error, 'DATASET_NOT_FOUND')) throw error
}

type Service = Awaited<ReturnType<typeof service>>

/** The dataset is there, and every file is what its receipt names. */
async function assertWhole({ store }: Service): Promise<void> {
  const receipt = (await store.receipt(id)) ?? assert.fail('the dataset is gone')
  const files = new VerifiedFiles(store)
  for (const file of storedFiles(receipt)) assert.ok(await files.isIntact(receipt, file), file.file)
}

export async function isWhole(one: Service): Promise<boolean> {
  return await assertWhole(one).then(
    () => true,
    () => false,
  )
}

/** Where the dataset is, whole. */
export async function placeOf(one: Service): Promise<'live' | 'trash' | 'nowhere'> {
  const trashed = await one.store.trashed(id)
  const counted = one.store.usage('').datasets
  if ((await one.store.receipt(id)) === null) {
    assert.equal(counted, trashed === null ? 0 : 1)
    if (trashed === null) return 'nowhere'
    assert.equal(await one.store.restore(trashed), true)
    await assertWhole(one)
    return 'trash'
  }
  assert.deepEqual([trashed, counted], [null, 1])
  await assertWhole(one)
  return 'live'
}

/** Begins with the dataset in the trash. */
const inTrash = async (one: Service, createdAt?: number) => {
  await one.begin(1, createdAt)
  await one.store.trash({ id })
}

/** Declares the tests: of all orders with one switch, and of random ones. */
export function datasetOrders(open: OpenPlace): void {
  const orders = (title: string, begin: (one: Service) => Promise<InterleavingCase>) =>
    test(title, async (t) => {
      const one = await service(t, open)
      const tried = await interleave({ seed, random: 20, hasFileSteps: open === inDirectory }, async () => {
        const { tasks, check } = await begin(one)
        return {
          tasks,
          check: async () => {
            await one.catchUp()
            await check()
            await one.assertSwept()
          },
        }
      })
      t.diagnostic(`SEED=${seed}, orders: ${tried}`)
    })

  orders('a sound dataset never counts as damaged for an upload while it is deleted and sent again', async (one) => {
    await one.begin(1)
    return {
      tasks: one.tasks({ again: (at) => at.sendAgain(2), upload: (at) => at.upload(3) }),
      check: async () => {
        assert.equal(one.seen.outcomes.includes('repaired'), false)
        if (one.seen.outcomes.every((outcome) => outcome === 'new')) await assertWhole(one)
      },
    }
  })

  orders('a reader finds one publish or none while a dataset is deleted and sent again', async (one) => {
    await one.begin(1)
    return {
      tasks: one.tasks({ read: (at) => at.read(), again: (at) => at.sendAgain(2) }),
      check: () => assertWhole(one),
    }
  })

  orders('a scrub finds no damage in a dataset that is deleted and sent again', async (one) => {
    await one.begin(1)
    return {
      tasks: one.tasks({ scrub: (at) => at.scrub(), again: (at) => at.sendAgain(2) }),
      check: () => assertWhole(one),
    }
  })

  for (const which of ['If-Match', 'what it read']) {
    orders(`a DELETE of ${which} does not remove what was sent after it had read`, async (one) => {
      await one.begin(1)
      const first = which === 'If-Match' ? variant(1).receipt.createdAt : undefined
      return {
        tasks: one.tasks({ delete: (at) => at.remove(first), again: (at) => at.sendAgain(2) }),
        check: async () => {
          // Without a condition, it may have come after all of this.
          if (first !== undefined) await assertWhole(one)
          else if ((await one.store.receipt(id)) !== null) await assertWhole(one)
        },
      }
    })
  }

  orders('a DELETE that meets a repair removes the dataset, damaged or repaired', async (one) => {
    await one.begin(1)
    await one.damage('original')
    return {
      tasks: one.tasks({ repair: (at) => at.upload(2), delete: (at) => at.removeThere() }),
      check: async () => {
        if ((await one.store.receipt(id)) !== null) assert.deepEqual(one.seen.outcomes, ['new'])
      },
    }
  })

  orders('an upload keeps its dataset from expiring, whether it has ended or not', async (one) => {
    const soon = Date.now() - 1_000
    await one.begin(1, soon - 1_000)
    return {
      tasks: one.tasks({ expire: (at) => at.expire(soon), upload: (at) => at.upload(2) }),
      check: () => assertWhole(one),
    }
  })

  for (const file of ['original', 'parts'] as const) {
    orders(`a reader of the ${file} finds the old or the new dataset while it is replaced`, async (one) => {
      await one.begin(1)
      await one.damage(file === 'parts' ? 'original' : 'data/part-00000.parquet')
      return {
        tasks: one.tasks({ repair: (at) => at.upload(2), read: (at) => at.readThere(file) }),
        check: async () => {
          assert.deepEqual(one.seen.outcomes, ['repaired'])
          await assertWhole(one)
        },
      }
    })
  }

  orders('a repair replaces only what was found damaged, and is kept if that was deleted', async (one) => {
    await one.begin(1)
    await one.damage('original')
    return {
      tasks: one.tasks({ repair: (at) => at.upload(2), other: (at) => at.upload(3) }),
      check: async () => {
        assert.deepEqual(one.seen.outcomes.toSorted(), ['duplicate', 'repaired'])
        await assertWhole(one)
      },
    }
  })

  orders('a repair is kept if what was damaged is deleted meanwhile', async (one) => {
    await one.begin(1)
    await one.damage('original')
    return {
      tasks: one.tasks({ repair: (at) => at.upload(2), delete: (at) => at.remove(variant(1).receipt.createdAt) }),
      check: async () => assert.equal(one.seen.outcomes.includes('duplicate'), false),
    }
  })

  orders('an upload that meets the trash is kept, whatever moves the dataset meanwhile', async (one) => {
    await one.begin(1)
    return {
      tasks: one.tasks({ trash: (at) => at.trash(), upload: (at) => at.upload(2), restore: (at) => at.restore() }),
      check: async () => assert.notEqual(await placeOf(one), 'nowhere'),
    }
  })

  for (const erase of ['erase', 'expireTrash'] as const) {
    orders(`an upload of what is in the trash is there after it, although ${erase} runs meanwhile`, async (one) => {
      await inTrash(one)
      return {
        tasks: one.tasks({ upload: (at) => at.upload(2), erase: (at) => at[erase]() }),
        check: async () => assert.equal(await placeOf(one), 'live'),
      }
    })

    orders(`what is restored is not deleted by ${erase}, and what that deletes is gone`, async (one) => {
      await inTrash(one)
      return {
        tasks: one.tasks({ restore: (at) => at.restore(), erase: (at) => at[erase]() }),
        check: async () => {
          assert.equal(one.seen.done.length, 1)
          assert.equal(await placeOf(one), one.seen.done[0] === 'restore' ? 'live' : 'nowhere')
        },
      }
    })
  }

  orders('a DELETE or an expiry that meets the trash leaves what is in it', async (one) => {
    const soon = Date.now() - 1_000
    await one.begin(1, soon - 1_000)
    return {
      tasks: one.tasks({ trash: (at) => at.trash(), expire: (at) => at.expire(soon), delete: (at) => at.remove() }),
      check: async () => assert.equal(await placeOf(one), one.seen.done.includes('trash') ? 'trash' : 'nowhere'),
    }
  })

  orders('a reader finds one publish or none while a dataset goes to the trash and back', async (one) => {
    await one.begin(1)
    return {
      tasks: one.tasks({
        read: (at) => at.read(),
        move: async (at) => {
          await at.trash()
          await at.restore()
        },
      }),
      check: async () => assert.equal(await placeOf(one), 'live'),
    }
  })

  orders('two restores and a repair of what is in the trash make one dataset', async (one) => {
    await inTrash(one)
    return {
      tasks: one.tasks({
        one: (at) => at.restore(),
        other: (at) => at.restore(),
        upload: (at) => at.upload(2),
        again: (at) => at.upload(3),
      }),
      check: async () => assert.equal(await placeOf(one), 'live'),
    }
  })
}
