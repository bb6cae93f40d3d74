//! A loser tree: finds the one of many sorted streams with the smallest current key, with few comparisons.
//!
//! Streams are numbered players. The caller compares two of them.

/// A tree of matches. Node 0 holds the winner, each other node the player that lost there.
pub(crate) struct Tournament {
    tree: Vec<usize>,
}

/// A node that no player has reached yet.
const NO_PLAYER: usize = usize::MAX;

impl Tournament {
    /// Creates a tournament of `players` players, numbered from 0. `precedes` must be a strict total order. Makes fewer
    /// comparisons than there are players.
    pub(crate) fn new(players: usize, precedes: impl Fn(usize, usize) -> bool) -> Self {
        let mut tournament = Tournament {
            tree: vec![NO_PLAYER; players],
        };
        (0..players).for_each(|player| tournament.play(player, &precedes));
        tournament
    }

    /// Returns the player that precedes all others. `None` if there are no players.
    #[inline]
    pub(crate) fn first(&self) -> Option<usize> {
        self.tree.first().copied()
    }

    /// Replays the matches of the winner, whose key has changed, from its leaf to the root. Makes a comparison for each level of
    /// the tree.
    #[inline]
    pub(crate) fn play(&mut self, player: usize, precedes: impl Fn(usize, usize) -> bool) {
        let mut winner = player;
        let mut node = (player + self.tree.len()) / 2;
        while node > 0 {
            let other = self.tree[node];
            if other == NO_PLAYER {
                self.tree[node] = winner;
                return;
            }
            if precedes(other, winner) {
                self.tree[node] = winner;
                winner = other;
            }
            node /= 2;
        }
        self.tree[0] = winner;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_come_in_order_however_many_there_are() {
        for players in 0..20 {
            let mut keys: Vec<usize> = (0..players).map(|player| player * 7 % 5).collect();
            let mut tournament = Tournament::new(players, |a, b| (keys[a], a) < (keys[b], b));
            let mut seen = Vec::new();
            while let Some(first) = tournament.first().filter(|&first| keys[first] < 20) {
                seen.push(keys[first]);
                keys[first] += 3;
                tournament.play(first, |a, b| (keys[a], a) < (keys[b], b));
            }
            let mut wanted: Vec<usize> = (0..players)
                .flat_map(|player| (player * 7 % 5..20).step_by(3))
                .collect();
            wanted.sort_unstable();
            assert_eq!(seen, wanted, "{players}");
        }
    }
}
