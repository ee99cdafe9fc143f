// SPDX-License-Identifier: BSD-2-Clause-Patent
//! A bounded pool of pictures of one format.

use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

use super::block::{Block, Picture};
use super::format::Format;
use super::storage::Storage;
use crate::error::Result;

/// At most `capacity` pictures of one format, handed out and taken back.
///
/// A picture is allocated when it is first needed, then kept. Handles outlive the pool's owner: the last
/// picture that comes back frees the pool.
pub struct Pool {
    format: Format,
    storage: Storage,
    capacity: usize,
    /// Makes more pictures rather than wait.
    elastic: bool,
    state: Mutex<State>,
    returned: Condvar,
}

#[derive(Default)]
struct State {
    #[expect(clippy::vec_box, reason = "handles hold a block's address, and moving one copies it")]
    at_home: Vec<Box<Block>>,
    made: usize,
}

impl Pool {
    /// An empty pool that may grow to `capacity` pictures.
    pub fn new(format: Format, storage: Storage, capacity: usize) -> Arc<Self> {
        Self::with(format, storage, capacity, false)
    }

    /// An empty pool that grows beyond `capacity` pictures rather than let [`Self::fetch`] wait.
    pub fn elastic(format: Format, storage: Storage, capacity: usize) -> Arc<Self> {
        Self::with(format, storage, capacity, true)
    }

    fn with(format: Format, storage: Storage, capacity: usize, elastic: bool) -> Arc<Self> {
        let (state, returned) = (Mutex::default(), Condvar::new());
        Arc::new(Self { format, storage, capacity, elastic, state, returned })
    }

    /// A picture with whatever was last in it; none while all are out and `extra` more.
    pub fn try_fetch(self: &Arc<Self>, extra: usize) -> Result<Option<Picture>> {
        self.take(&mut self.state.lock(), extra)
    }

    /// A picture with whatever was last in it; waits while all are out and `extra` more.
    pub fn fetch(self: &Arc<Self>, extra: usize) -> Result<Picture> {
        let extra = if self.elastic { usize::MAX } else { extra };
        let mut state = self.state.lock();
        loop {
            if let Some(picture) = self.take(&mut state, extra)? {
                return Ok(picture);
            }
            self.returned.wait(&mut state);
        }
    }

    fn take(self: &Arc<Self>, state: &mut State, extra: usize) -> Result<Option<Picture>> {
        let block = match state.at_home.pop() {
            Some(block) => block,
            None if state.made < self.capacity.saturating_add(extra) => {
                let block = Block::new(self.format, &self.storage)?;
                state.made += 1;
                block
            }
            None => return Ok(None),
        };
        Ok(Some(Picture::adopt(block, Some(self.clone()))))
    }

    /// Whether some picture has not come back.
    pub fn any_out(&self) -> bool {
        let state = self.state.lock();
        state.at_home.len() < state.made
    }

    pub(super) fn give_back(&self, block: Box<Block>) {
        self.state.lock().at_home.push(block);
        self.returned.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::super::PixelFormat;
    use super::*;

    fn pool(capacity: usize) -> Arc<Pool> {
        Pool::new(Format::new(PixelFormat::Yuv420, 8, 16, 16).unwrap(), Storage::Pageable, capacity)
    }

    #[test]
    fn a_returned_picture_is_handed_out_again() {
        let pool = pool(1);
        let first = pool.fetch(0).unwrap();
        let address = first.data(0) as usize;
        assert!(pool.any_out());
        drop(first);
        assert!(!pool.any_out());
        assert_eq!(pool.fetch(0).unwrap().data(0) as usize, address);
    }

    #[test]
    fn an_elastic_pool_grows_where_another_would_wait() {
        let format = pool(1).format;
        let pool = Pool::elastic(format, Storage::Pageable, 1);
        let first = pool.fetch(0).unwrap();
        assert!(pool.try_fetch(0).unwrap().is_none());
        let second = pool.fetch(0).unwrap();
        assert_ne!(first.data(0), second.data(0));
    }

    #[test]
    fn fetch_waits_until_one_comes_back() {
        let pool = pool(1);
        let held = pool.fetch(0).unwrap();
        let waiting = std::thread::spawn({
            let pool = pool.clone();
            move || pool.fetch(0).map(drop)
        });
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert!(!waiting.is_finished());
        drop(held);
        waiting.join().unwrap().unwrap();
    }

    #[test]
    fn pictures_outlive_their_pool() {
        let pool = pool(2);
        let weak = Arc::downgrade(&pool);
        let picture = pool.fetch(0).unwrap();
        drop(pool);
        drop(picture.clone());
        assert!(weak.upgrade().is_some());
        drop(picture);
        assert!(weak.upgrade().is_none());
    }
}
