// Tests of one dataset that is uploaded, read, scrubbed, repaired, deleted and expires at once, in many orders: whoever
// reads finds one publish, a sound one never counts as damaged, and nothing acknowledged is removed.
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
import { fill, publishSample, readAll, sample } from '../../src/store/store-samples.testing.ts'
import { type InterleavingCase, interleave, yielding } from '../support/interleave.ts'
import { seed } from '../support/samples.ts'
import { serviceTools } from '../support/service-tools.ts'

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

/** What clients and the service itself do, with the classes of the service over a store that yields at every call. */
async function service(t: TestContext) {
  const { dir, open } = await place(t)
  const real = await open()
  const store = yielding(real)
  // No test reads rows.
  const { files, existing, catalog, tools } = serviceTools(store, {} as PartReader)
  const seen = { outcomes: [] as string[], expired: 0, done: [] as string[] }

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
  const upload = (partCount: number) => async () => {
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
  const remove = (createdAt?: number) => () =>
    removeOwn(
      tools,
      id,
      'erase',
      createdAt === undefined ? undefined : (receipt) => receipt.createdAt === createdAt,
    ).catch((error) => {
      if (!isServiceError(error, 'DATASET_NOT_FOUND') && !isServiceError(error, 'PRECONDITION_FAILED')) throw error
    })
  return {
    dir,
    store: real,
    seen,
    upload,
    remove,
    /** Puts what is there in the trash, if anything is. */
    trash: () => () => removeOwn(tools, id, 'trash').then(() => void seen.done.push('trash'), ignoreMissing),
    restore: () => () =>
      trashOf(tools, '', id, (of) => store.restore(of)).then(() => void seen.done.push('restore'), ignoreMissing),
    erase: () => () =>
      trashOf(tools, '', id, (of) => eraseTrashed(tools, of)).then(() => void seen.done.push('erase'), ignoreMissing),
    /** Erases what has been in the trash for long. */
    expireTrash: () => async () => {
      for (const of of [...store.expiredTrash(Date.now() + 1, 0)]) if (await store.erase(of)) seen.done.push('erase')
    },
    /** Deletes while it certainly exists. */
    removeThere: () => () => removeOwn(tools, id, 'erase'),
    sendAgain: (partCount: number) => async () => {
      await remove()()
      await upload(partCount)()
    },
    read: () => () =>
      catalog.reading(id, readFiles).then(
        () => {},
        (error) => assert.ok(isServiceError(error, 'DATASET_NOT_FOUND'), error),
      ),
    /** Reads while it certainly exists. */
    readThere: (file: 'original' | 'parts') => async () => {
      await catalog.reading(id, async (receipt) => {
        const wanted = file === 'original' ? [originalOf(receipt)] : receipt.parts
        for (const one of wanted) await readAll(await files.read(receipt, one))
        await files.withLocal(receipt, wanted, async (paths) => {
          await store.savedState('wait')
          for (const path of paths) await writeFile(path, '', { flag: 'r+' })
        })
      })
    },
    scrub: () => async () => {
      assert.deepEqual(await scrubDataset({ store, pace: async () => {} }, id, new AbortController().signal), [])
    },
    expire: (uploadedBefore: number) => async () => {
      for (const old of [...store.olderThan(uploadedBefore)]) {
        if (await store.remove({ id: old }, uploadedBefore)) seen.expired += 1
      }
    },
    /** Begins again with this publish; null for none. */
    begin: async (partCount: number | null, createdAt?: number) => {
      await real.remove({ id })
      for (const of of [...real.expiredTrash(Number.POSITIVE_INFINITY, 0)]) await real.erase(of)
      seen.outcomes.length = 0
      seen.done.length = 0
      seen.expired = 0
      if (partCount === null) return
      const { receipt, files: contents } = variant(partCount)
      await publishSample(real, { files: contents, receipt: { ...receipt, createdAt: createdAt ?? receipt.createdAt } })
    },
  }
}

function ignoreMissing(error: unknown): void {
  if (!isServiceError(error, 'DATASET_NOT_FOUND')) throw error
}

type Service = Awaited<ReturnType<typeof service>>

/** Declares a test of all orders with one switch, and of random ones. */
function orders(title: string, begin: (one: Service) => Promise<InterleavingCase>): void {
  test(title, async (t) => {
    const one = await service(t)
    const tried = await interleave({ seed, random: 20 }, () => begin(one))
    t.diagnostic(`SEED=${seed}, orders: ${tried}`)
  })
}

/** The dataset is there, and every file is what its receipt names. */
async function assertWhole({ store }: Service): Promise<void> {
  const receipt = (await store.receipt(id)) ?? assert.fail('the dataset is gone')
  const files = new VerifiedFiles(store)
  for (const file of storedFiles(receipt)) assert.ok(await files.isIntact(receipt, file), file.file)
}

orders('a sound dataset never counts as damaged for an upload while it is deleted and sent again', async (one) => {
  await one.begin(1)
  return {
    tasks: { again: one.sendAgain(2), upload: one.upload(3) },
    check: async () => {
      assert.equal(one.seen.outcomes.includes('repaired'), false)
      if (one.seen.outcomes.every((outcome) => outcome === 'new')) await assertWhole(one)
    },
  }
})

orders('a reader finds one publish or none while a dataset is deleted and sent again', async (one) => {
  await one.begin(1)
  return { tasks: { read: one.read(), again: one.sendAgain(2) }, check: () => assertWhole(one) }
})

orders('a scrub finds no damage in a dataset that is deleted and sent again', async (one) => {
  await one.begin(1)
  return { tasks: { scrub: one.scrub(), again: one.sendAgain(2) }, check: () => assertWhole(one) }
})

for (const which of ['If-Match', 'what it read']) {
  orders(`a DELETE of ${which} does not remove what was sent after it had read`, async (one) => {
    await one.begin(1)
    const first = which === 'If-Match' ? variant(1).receipt.createdAt : undefined
    return {
      tasks: { delete: one.remove(first), again: one.sendAgain(2) },
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
  await writeFile(join(one.dir, 'datasets', id, 'original'), 'x')
  return {
    tasks: { repair: one.upload(2), delete: one.removeThere() },
    check: async () => {
      if ((await one.store.receipt(id)) !== null) assert.deepEqual(one.seen.outcomes, ['new'])
    },
  }
})

orders('an upload keeps its dataset from expiring, whether it has ended or not', async (one) => {
  const soon = Date.now() - 1_000
  await one.begin(1, soon - 1_000)
  return { tasks: { expire: one.expire(soon), upload: one.upload(2) }, check: () => assertWhole(one) }
})

for (const file of ['original', 'parts'] as const) {
  orders(`a reader of the ${file} finds the old or the new dataset while it is replaced`, async (one) => {
    await one.begin(1)
    const path = join(one.dir, 'datasets', id, file === 'parts' ? 'original' : 'data/part-00000.parquet')
    await writeFile(path, 'x')
    return {
      tasks: { repair: one.upload(2), read: one.readThere(file) },
      check: async () => {
        assert.deepEqual(one.seen.outcomes, ['repaired'])
        await assertWhole(one)
      },
    }
  })
}

orders('a repair replaces only what was found damaged, and is kept if that was deleted', async (one) => {
  await one.begin(1)
  await writeFile(join(one.dir, 'datasets', id, 'original'), 'x')
  return {
    tasks: { repair: one.upload(2), other: one.upload(3) },
    check: async () => {
      assert.deepEqual(one.seen.outcomes.toSorted(), ['duplicate', 'repaired'])
      await assertWhole(one)
    },
  }
})

orders('a repair is kept if what was damaged is deleted meanwhile', async (one) => {
  await one.begin(1)
  await writeFile(join(one.dir, 'datasets', id, 'original'), 'x')
  return {
    tasks: { repair: one.upload(2), delete: one.remove(variant(1).receipt.createdAt) },
    check: async () => assert.equal(one.seen.outcomes.includes('duplicate'), false),
  }
})

/** Where the dataset is, whole. */
async function placeOf(one: Service): Promise<'live' | 'trash' | 'nowhere'> {
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

/** Nothing that was acknowledged is lost unless it was deleted, and what was restored last is there. */
const inTrash = async (one: Service, createdAt?: number) => {
  await one.begin(1, createdAt)
  await one.store.trash({ id })
}

orders('an upload that meets the trash is kept, whatever moves the dataset meanwhile', async (one) => {
  await one.begin(1)
  return {
    tasks: { trash: one.trash(), upload: one.upload(2), restore: one.restore() },
    check: async () => assert.notEqual(await placeOf(one), 'nowhere'),
  }
})

for (const erase of ['erase', 'expireTrash'] as const) {
  orders(`an upload of what is in the trash is there after it, although ${erase} runs meanwhile`, async (one) => {
    await inTrash(one)
    return {
      tasks: { upload: one.upload(2), erase: one[erase]() },
      check: async () => assert.equal(await placeOf(one), 'live'),
    }
  })

  orders(`what is restored is not deleted by ${erase}, and what that deletes is gone`, async (one) => {
    await inTrash(one)
    return {
      tasks: { restore: one.restore(), erase: one[erase]() },
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
    tasks: { trash: one.trash(), expire: one.expire(soon), delete: one.remove() },
    check: async () => assert.equal(await placeOf(one), one.seen.done.includes('trash') ? 'trash' : 'nowhere'),
  }
})

orders('a reader finds one publish or none while a dataset goes to the trash and back', async (one) => {
  await one.begin(1)
  return {
    tasks: {
      read: one.read(),
      move: async () => {
        await one.trash()()
        await one.restore()()
      },
    },
    check: async () => assert.equal(await placeOf(one), 'live'),
  }
})

orders('two restores and a repair of what is in the trash make one dataset', async (one) => {
  await inTrash(one)
  return {
    tasks: { one: one.restore(), other: one.restore(), upload: one.upload(2), again: one.upload(3) },
    check: async () => assert.equal(await placeOf(one), 'live'),
  }
})
